/**
 * Odd but real messages of owners and of their mail hosts, byte for byte as programs wrote them (test-vectors/eml-odd):
 * answers whose links hold the mailbox in disguise, absence notes, bounces. Each has a control.
 */

import type { CreatedEmailJob } from "@kauke/contract";
import { confirmMailbox } from "@kauke/testkit/confirm-mailbox";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { authorSigner } from "@kauke/testkit/sign-as-author";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { oddMessage, replyAddressesIn, valuesOf, withWrongHash } from "./case-files.testing.ts";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const signer = authorSigner("example.org");
const dns = createFakeDns({
  "planner.example": spf,
  "example.org": spf,
  [signer.record.name]: { txt: signer.record.txt },
});
const { mx, system, person } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: "alias_create=1000/3600" },
});
const owner = "me@example.org";
const ann = "ann@planner.example";

beforeAll(() => confirmMailbox({ mx, person }, owner));
beforeEach(() => mx.reset());

const send = (from: string, to: string, message: Buffer | string) =>
  sendMail({ port: system.mxPort, from, to, message });

/** Ann writes to a new alias. @returns how the owner's copy can be answered, and where reports about it go */
async function received() {
  const { id, alias } = await person.createAlias({ forwardTo: owner });
  await send(ann, `${alias}@kauke.test`, `From: Ann <${ann}>\r\nSubject: Offer\r\n\r\nhello\r\n`);
  const [copy] = await mx.waitForMessages(1);
  mx.messages.length = 0;
  const [reply = ""] = replyAddressesIn(valuesOf(copy?.bytes as Buffer, "From").join());
  return { id, address: `${alias}@kauke.test`, reply, bounceTo: copy?.envelopeFrom as string };
}

describe("an answer whose link holds the mailbox", () => {
  test.each([
    ["tracking-pixel", "VAZXhhbXBsZS5vcmc%3D", "VAZXhhbXBsZS5uZXQ%3D"],
    ["flowed-delsp", "&me@exa", "&us@exa"],
  ])("%s: is refused, and with another address sent", async (name, hidden, other) => {
    const { reply } = await received();
    expect((await send(owner, reply, oddMessage(name, { REPLY: reply }))).last).toMatch(
      /^550 5\.7\.1 Your message holds the address/,
    );
    expect(mx.messages).toEqual([]);
    const control = oddMessage(name, { REPLY: reply, [hidden]: other });
    expect((await send(owner, reply, control)).last).toMatch(/^250 /);
    expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual([ann]);
  });

  test("is refused when it is composed in the web app, and with another address sent", async () => {
    const { id } = await received();
    const compose = (address: string) => {
      const body = `see https://track.example/t?sender=${btoa(address)}`;
      return person.call("POST", "/api/email-jobs", { fromAliasId: id, to: "bob@planner.example", subject: "s", body });
    };
    await person.createSmtpCredential(id);
    expect(await compose(owner)).toMatchObject({ status: 400, body: { errors: { body: [expect.any(String)] } } });
    const control = await compose("me@example.net");
    expect(control.status).toBe(201);
    const { jobId } = control.body as CreatedEmailJob;
    expect(await person.call("POST", `/api/email-jobs/${jobId}/cancel`)).toMatchObject({ status: 200 });
  });
});

describe("what an owner's mail host sends to the envelope sender of forwarded mail", () => {
  test.each([
    ["absence-note", "answered mail to"],
    ["bounce-in-own-words", "came back"],
  ])("%s: is taken, the owner is told, and no text is passed on", async (name, told) => {
    const { id, address, bounceTo } = await received();
    const noticesAbout = async () => (await person.notices()).filter(({ aliasId }) => aliasId === id);
    const message = oddMessage(name, { SRS: bounceTo });
    expect((await send("", bounceTo, message)).last).toMatch(/^250 /);
    const texts = (await noticesAbout()).map(({ text }) => text);
    expect(texts).toEqual([expect.stringContaining(told)]);
    expect(texts[0]).toContain(address);
    expect(texts[0]).not.toMatch(/away until|Mailbox full/);
    await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0), { timeout: 10_000 });
    expect(mx.messages).toEqual([]);
    expect((await send("", withWrongHash(bounceTo), message)).last).toMatch(/^550 /);
    expect(await noticesAbout()).toHaveLength(1);
  });
});

test("a signed absence note leaves as the alias, without the mailbox", async () => {
  const { address, bounceTo } = await received();
  expect((await send("", bounceTo, signer.sign(String(oddMessage("absence-note", { SRS: bounceTo }))))).last).toMatch(
    /^250 /,
  );
  const [note] = await mx.waitForMessages(1);
  expect(note?.rcptTo).toEqual([ann]);
  expect(valuesOf(note?.bytes as Buffer, "From").join()).toContain(address);
  expect(valuesOf(note?.bytes as Buffer, "Auto-Submitted")).toEqual(["auto-replied"]);
  expect(String(note?.bytes)).not.toContain("example.org");
});

describe("a send address", () => {
  beforeAll(async () => {
    const { id } = await person.createAlias({ alias: "shop.k7", forwardTo: owner });
    await person.call("PUT", `/api/aliases/${id}`, { writeByAddress: true });
  });
  /** Waits until everything that arrived is delivered. @returns the recipients of all that was sent */
  async function sentTo(): Promise<string[]> {
    await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0), { timeout: 10_000 });
    return mx.messages.flatMap(({ rcptTo }) => rcptTo);
  }

  test("whose tag the mail host left out: the owner's message is refused, and does not return to them", async () => {
    expect((await send(owner, "shop.k7@kauke.test", oddMessage("send-address"))).last).toMatch(/^550 /);
    expect(await sentTo()).toEqual([]);
  });

  test("without a tag in To either: the owner's message is forwarded", async () => {
    const control = oddMessage("send-address", { "+ann=planner.example": "" });
    expect((await send(owner, "shop.k7@kauke.test", control)).last).toMatch(/^250 /);
    expect(await sentTo()).toEqual([owner]);
  });

  const long = "shop.k7+list-sc.1760982419.ohedmfbjgcdaadampghm-shop.k7=kauke.test=lists.example.net@kauke.test";
  test("of more than 64 octets is used", async () => {
    expect((await send(owner, long, oddMessage("long-send-address"))).last).toMatch(/^250 /);
    expect(await sentTo()).toEqual(["list-sc.1760982419.ohedmfbjgcdaadampghm-shop.k7=kauke.test@lists.example.net"]);
  });

  test("does not let another mailbox of the owner's mail host write as the alias", async () => {
    const to = "shop.k7+victim=third.example@kauke.test";
    await send("mallory@example.org", to, oddMessage("neighbour-of-the-owner"));
    expect(await sentTo()).not.toContain("victim@third.example");
    mx.reset();
    expect((await send(owner, to, oddMessage("neighbour-of-the-owner"))).last).toMatch(/^250 /);
    expect(await sentTo()).toEqual(["victim@third.example"]);
  });
});

describe("submission to an address with dots side by side", () => {
  test.each([
    ['"taro..yamada"@mobile.example', "taro..yamada@mobile.example"],
    ["taro..yamada@mobile.example", "taro..yamada@mobile.example"],
    ["taro.yamada@mobile.example", "taro.yamada@mobile.example"],
  ])("RCPT TO:<%s> with To: %s", async (rcpt, to) => {
    const { id, alias } = await person.createAlias({ forwardTo: owner });
    const talk = await signedInTalk(system.submissionPort, await person.createSmtpCredential(id));
    expect(await talk.ask(`MAIL FROM:<${alias}@kauke.test>`)).toMatch(/^250 /);
    expect(await talk.ask(`RCPT TO:<${rcpt}>`)).toMatch(/^250 /);
    await talk.ask("DATA");
    expect(await talk.ask(`From: ${alias}@kauke.test\r\nTo: ${to}\r\nSubject: s\r\n\r\nhello\r\n.`)).toMatch(/^250 /);
    talk.close();
    const [mail] = await mx.waitForMessages(1);
    expect(mail?.rcptTo).toEqual([rcpt]);
    expect(valuesOf(mail?.bytes as Buffer, "To")).toEqual([to]);
  });
});
