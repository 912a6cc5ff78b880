/** A refusal gives the reason that whoever wrote the message can act on, and no other. Each with the nearest control. */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import PostalMime from "postal-mime";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const reject = { txt: ["v=DMARC1; p=reject"] };
const dns = createFakeDns({
  "inbox.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
  "bank.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
  "_dmarc.bank.example": reject,
  "strict.example": { txt: ["v=spf1 -all"] },
  "_dmarc.strict.example": reject,
});
const { mx, system, person } = await setUpForwarding({ dns });
const home = "me@inbox.example";
let alias: string;
let id: string;
/** Reply address of a person who wrote to the alias. */
let ann: string;

beforeAll(async () => {
  ({ alias, id } = await person.createAlias({ forwardTo: home }));
  alias += "@kauke.test";
  ann = await replyAddressAt(alias);
});
beforeEach(() => mx.reset());

async function replyAddressAt(to: string): Promise<string> {
  mx.reset();
  const message = `From: Ann <ann@sender.example>\r\nTo: ${to}\r\nSubject: x\r\n\r\nx\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to, message });
  await mx.waitForMessages(1);
  return (await PostalMime.parse(mx.messages[0]?.bytes ?? "")).from?.address ?? "";
}

const write = (fields: readonly string[]) => [...fields, "Subject: x", "", "x", ""].join("\r\n");
const send = async (from: string, to: string, fields: readonly string[]) =>
  (await sendMail({ port: system.mxPort, from, to, message: write(fields), helo: "mx.inbox.example" })).last;

const NO_AUTHOR = /^55[03] 5\.7\.1 From has no readable address/;
const UNPROVEN = /^550 5\.7\.26 .*fails authentication/;

describe("under a policy that rejects", () => {
  test.each([
    ["From has no address", "bank.example", ["From: Camera 3"], NO_AUTHOR],
    ["From has an empty address", "bank.example", ["From: Camera <>"], NO_AUTHOR],
    ["there are two From fields", "bank.example", ["From: a@bank.example", "From: b@bank.example"], NO_AUTHOR],
    ["From has an address and other text", "bank.example", ["From: Bank <a@bank.example> x@"], NO_AUTHOR],
    [
      "control: From is readable, and its domain did not send it",
      "strict.example",
      ["From: a@strict.example"],
      UNPROVEN,
    ],
    ["control: From is readable and proven", "bank.example", ["From: a@bank.example"], /^250 /],
  ])("%s", async (_, domain, fields, reply) => {
    expect(await send(`a@${domain}`, alias, fields)).toMatch(reply);
  });
});

describe("an answer", () => {
  const author = `From: Me <${home}>`;
  test.each<[string, () => string[], RegExp]>([
    ["without an address in From", () => ["From: Me", `To: ${ann}`], NO_AUTHOR],
    [
      "control: of somebody else",
      () => ["From: you@inbox.example", `To: ${ann}`],
      /^550 5\.7\.1 Only the alias' owner/,
    ],
    ["with a recipient in quotes", () => [author, `To: ${ann}, "bob@sender.example"`], /^550 5\.6\.0 .*not an address/],
    ["with a name for a recipient", () => [author, `To: ${ann}`, "Cc: Bob"], /^550 5\.6\.0 .*not an address/],
    ["control: with a stranger", () => [author, `To: ${ann}, bob@sender.example`], /^550 5\.7\.1 .*real addresses/],
    [
      "with a reply address that is not valid",
      () => [author, `To: ${ann}, ${ann.replace(/.{4}@/, "aaaa@")}`],
      /^550 5\.7\.1 .*reply address that is not valid/,
    ],
    ["control: to the correspondent alone", () => [author, `To: ${ann}`], /^250 /],
  ])("%s", async (_, fields, reply) => {
    expect(await send(home, ann, fields())).toMatch(reply);
  });
});

describe("an address", () => {
  test.each([
    [
      "of a bounce, with a wrong hash",
      "",
      "SRS0=aaaaaaaaaaaaaa=AB=sender.example=ann@kauke.test",
      /No such address here/,
    ],
    [
      "of a bounce in the alias' own form",
      "",
      "srs0-aaaaaaaaaaaaaaaaaaaaaaaaaa-aa-aaaaaaaaaaaaa@kauke.test",
      /No such address/,
    ],
    [
      "control: of a bounce, from a person",
      "a@bank.example",
      "SRS0=a=AB=sender.example=ann@kauke.test",
      /delivery reports only/,
    ],
    [
      "of a reply that does not exist",
      "a@bank.example",
      "r-aaaaaaaaaaaaaaaaaaaaaaaaaa@kauke.test",
      /No such address here/,
    ],
  ])("%s", async (_, from, to, reply) => {
    expect(await send(from, to, ["From: a@bank.example"])).toMatch(reply);
  });
});

describe("a submitted message", () => {
  test.each<[string, string, RegExp]>([
    ["without an address in From", "Me", NO_AUTHOR],
    ["with another author beside the alias", "%, you@inbox.example", /^553 5\.7\.1 From names several authors/],
    ["control: with another author", "you@inbox.example", /^553 5\.7\.1 You may not send/],
    ["control: of the alias", "Me <%>", /^250 /],
  ])("%s", async (_, from, reply) => {
    expect(await submit([`From: ${from.replace("%", alias)}`, "To: bob@sender.example"])).toMatch(reply);
  });

  test("that also names a reply address of another alias", async () => {
    const other = `${(await person.createAlias({ forwardTo: home })).alias}@kauke.test`;
    const fields = [`From: ${alias}`, `To: bob@sender.example, ${await replyAddressAt(other)}`];
    expect(await submit(fields)).toMatch(/^550 5\.7\.1 .*reply address that is not valid for this alias/);
    expect(await submit([`From: ${alias}`, `To: bob@sender.example, ${ann}`]), "control").toMatch(/^250 /);
  });

  let credentials: { username: string; password: string } | null = null;
  async function submit(fields: readonly string[]): Promise<string> {
    credentials ??= await person.createSmtpCredential(id);
    const talk = await signedInTalk(system.submissionPort, credentials, { helo: "laptop.example" });
    try {
      await talk.ask(`MAIL FROM:<${alias}>`);
      await talk.ask("RCPT TO:<bob@sender.example>");
      await talk.ask("DATA");
      return await talk.ask(`${write(fields)}.`);
    } finally {
      talk.close();
    }
  }
});
