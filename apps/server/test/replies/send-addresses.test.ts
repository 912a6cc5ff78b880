/**
 * Mail to `alias+person=host.example@domain`: the owner of the alias writes to anybody as the alias; for everybody else
 * the address is the alias' own address with a tag.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const owner = "jonas@inbox.example";
const stranger = "eve@sender.example";
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });
const { mx, system, person } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: "alias_create=1000/3600" },
});

/**
 * Creates an alias whose mailbox is confirmed or unconfirmed.
 * @returns its name
 */
async function madeAlias(forwardTo = owner): Promise<string> {
  return (await person.createAliasToWriteBy({ forwardTo })).alias;
}

async function confirm(address: string): Promise<void> {
  await madeAlias(address);
  expect(await person.call("POST", "/api/confirmation/message", { address })).toMatchObject({ status: 200 });
  const [request] = await mx.waitForMessages(1);
  const text = String(request?.bytes).replaceAll("=\r\n", "");
  const token = /\/confirm\/([a-z2-7]{32})/.exec(text)?.[1];
  await person.call("POST", "/api/confirmation", { token, choice: "mine" });
}

let isConfirmed = false;
beforeEach(async () => {
  dns.zone["inbox.example"] = spf;
  if (!isConfirmed) await confirm(owner);
  isConfirmed = true;
  mx.reset();
});

function write(to: string, { from = owner, named = to, body = "hello" } = {}) {
  const message = `From: Jonas Real <${from}>\r\nTo: ${named}\r\nSubject: a question\r\n\r\n${body}\r\n`;
  return sendMail({ port: system.mxPort, from, to, message });
}

const arrived = async () =>
  (await mx.waitForMessages(1))[0] as { rcptTo: string[]; envelopeFrom: string; bytes: Buffer };

test("the owner's message reaches the person from the alias, without revealing the mailbox", async () => {
  const alias = await madeAlias();
  expect((await write(`${alias}+Ann=shop.example@kauke.test`)).last).toMatch(/^250 /);
  const mail = await arrived();
  expect(mail.rcptTo).toEqual(["Ann@shop.example"]);
  expect(mail.envelopeFrom).toBe(`${alias}@kauke.test`.toLowerCase());
  expect(String(mail.bytes)).toMatch(/^To: Ann@shop\.example\r$/m);
  expect(String(mail.bytes)).not.toMatch(/jonas|inbox\.example/i);
});

test("from anybody else the tag is ignored: the message is forwarded to the owner, and nothing is sent to the person", async () => {
  const alias = await madeAlias();
  expect((await write(`${alias}+ann=shop.example@kauke.test`, { from: stranger })).last).toMatch(/^250 /);
  expect((await arrived()).rcptTo).toEqual([owner]);
});

test("a message from the owner's address without proof of its domain is not sent to the person", async () => {
  const alias = await madeAlias();
  dns.zone["inbox.example"] = {};
  expect((await write(`${alias}+ann=shop.example@kauke.test`)).last).toMatch(/^250 /);
  expect((await arrived()).rcptTo).toEqual([owner]);
});

test("an authentication that did not finish defers the message, whoever its author is", async () => {
  const alias = await madeAlias();
  const to = `${alias}+ann=shop.example@kauke.test`;
  dns.zone["inbox.example"] = { fails: true } as never;
  dns.zone["sender.example"] = { fails: true } as never;
  const answers = [await write(to), await write(to, { from: stranger })].map(({ last }) => last);
  dns.zone["sender.example"] = spf;
  expect(answers[0]).toMatch(/^451 /);
  expect(answers[1]).toBe(answers[0]);
  expect(mx.messages).toEqual([]);
});

test("a message from an unconfirmed mailbox of the alias is not sent to the person", async () => {
  dns.zone["new.example"] = spf;
  const alias = await madeAlias("anna@new.example");
  expect((await write(`${alias}+ann=shop.example@kauke.test`, { from: "anna@new.example" })).last).toMatch(/^250 /);
  const recipients = (await mx.waitForMessages(1)).flatMap(({ rcptTo }) => rcptTo);
  expect(recipients).not.toContain("ann@shop.example");
});

test("the tag of another user's alias, or of an alias that does not forward to the author, sends nothing", async () => {
  const other = await madeAlias("somebody@else.example");
  await write(`${other}+ann=shop.example@kauke.test`);
  const recipients = (await mx.waitForMessages(1)).flatMap(({ rcptTo }) => rcptTo);
  expect(recipients).not.toContain("ann@shop.example");
});

test("the leak guard checks the message like a reply", async () => {
  const alias = await madeAlias();
  const said = await write(`${alias}+ann=shop.example@kauke.test`, { body: `write to ${owner}` });
  expect(said.last).toMatch(/^550 .*address/);
  expect(mx.messages).toEqual([]);
});

test("a message that names other people by their real addresses is refused, like a reply", async () => {
  const alias = await madeAlias();
  const to = `${alias}+ann=shop.example@kauke.test`;
  const said = await write(to, { named: `${to}, Bo <bo@other.example>` });
  expect(said.last).toMatch(/^550 5\.7\.1 Your message also names people by their real addresses/);
});

test("a person in another tag of the header stays named, although the mail host sends each recipient a separate copy", async () => {
  const alias = await madeAlias();
  const [ann, bo] = [`${alias}+ann=shop.example@kauke.test`, `${alias.toUpperCase()}+Bo=host.example@KAUKE.test`];
  expect((await write(ann, { named: `${ann}, Bo B <${bo}>` })).last).toMatch(/^250 /);
  const mail = await arrived();
  expect(mail.rcptTo).toEqual(["ann@shop.example"]);
  expect(String(mail.bytes)).toMatch(/^To: ann@shop\.example,\s+(?:Bo B )?<?Bo@host\.example>?\r$/m);
  expect(String(mail.bytes)).not.toMatch(/kauke\.test.*bo=/i);
});

test("a tag of another alias in the header is no recipient, and the message is refused", async () => {
  const [alias, other] = [await madeAlias(), await madeAlias()];
  const to = `${alias}+ann=shop.example@kauke.test`;
  const said = await write(to, { named: `${to}, ${other}+bo=host.example@kauke.test` });
  expect(said.last).toMatch(/^550 5\.7\.1 Your message also names people by their real addresses/);
  expect(mx.messages).toEqual([]);
});
