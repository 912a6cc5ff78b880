/**
 * Absence notes that a mailbox host writes to the envelope sender of forwarded mail (RFC 3834 §4, RFC 5230), which is a
 * bounce address of ours: they reach the original sender from the alias, once in seven days, or the owner reads why not.
 */

import { generateKeyPairSync } from "node:crypto";
import { confirmMailbox } from "@kauke/testkit/confirm-mailbox";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { dkimSign } from "mailauth";
import PostalMime from "postal-mime";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const key = generateKeyPairSync("rsa", { modulusLength: 2048 });
const keyRecord = { txt: [`v=DKIM1; p=${key.publicKey.export({ format: "der", type: "spki" }).toString("base64")}`] };
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({
  "sender.example": spf,
  "mx.inbox.example": spf,
  "inbox.example": spf,
  "s1._domainkey.inbox.example": keyRecord,
  "s1._domainkey.other.example": keyRecord,
  "_dmarc.strict.example": { txt: ["v=DMARC1; p=reject"] },
  "slow._domainkey.inbox.example": { fails: true },
});
const { mx, system, person } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: "alias_create=1000/3600" },
});
const home = "jonas@inbox.example";
let count = 0;

beforeAll(() => confirmMailbox({ mx, person }, home));

beforeEach(() => mx.reset());

interface Forwarded {
  alias: string;
  /** The original sender. */
  sender: string;
  /** Envelope sender of the copy, to which the mailbox' host writes. */
  bounceTo: string;
}

interface Way {
  /** An alias that exists; default: a new one. */
  to: string;
  /** Default: a new one. */
  sender: string;
  /** Mailbox of a new alias. */
  mailbox: string;
}

/** A stranger writes to an alias. */
async function forwarded({
  to,
  sender = `ann${++count}@sender.example`,
  mailbox = home,
}: Partial<Way> = {}): Promise<Forwarded> {
  const alias = to ?? `${(await person.createAlias({ forwardTo: mailbox })).alias}@kauke.test`;
  const message = `From: Ann <${sender}>\r\nTo: ${alias}\r\nSubject: Order 1\r\nMessage-ID: <1@sender.example>\r\n\r\nx\r\n`;
  await sendMail({ port: system.mxPort, from: sender, to: alias, message });
  const isCopy = ({ envelopeFrom }: { envelopeFrom: string }) => /^srs0/i.test(envelopeFrom);
  await vi.waitFor(() => expect(mx.messages.some(isCopy)).toBe(true), { timeout: 10_000 });
  const [copy] = mx.messages.splice(mx.messages.findIndex(isCopy), 1);
  return { alias, sender, bounceTo: copy?.envelopeFrom ?? "" };
}

interface Note {
  from: string;
  to: string;
  fields: readonly string[];
  body: string;
}

const noteTo = (to: string, changes: Partial<Note> = {}): Note => ({
  from: `Jonas Real <${home}>`,
  to,
  fields: ["Auto-Submitted: auto-replied (vacation)"],
  body: "I am away until Monday.",
  ...changes,
});

const textOf = ({ from, to, fields, body }: Note) =>
  [
    `From: ${from}`,
    `To: <${to}>`,
    "Subject: Auto: Order 1",
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${++count}@mx.inbox.example>`,
    "X-Sieve: Pigeonhole Sieve 0.5.21",
    ...fields,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "",
    body,
    "",
  ].join("\r\n");

async function signed(text: string, signingDomain = "inbox.example", selector = "s1"): Promise<string> {
  const privateKey = String(key.privateKey.export({ format: "pem", type: "pkcs8" }));
  const signer = { signingDomain, selector, privateKey };
  const { signatures } = await dkimSign(text, { ...signer, signatureData: [signer] });
  return signatures + text;
}

const send = async (to: string, message: string) =>
  (await sendMail({ port: system.mxPort, from: "", to, message, helo: "mx.inbox.example" })).last;

const noticesOf = async (alias: string) =>
  (await person.notices()).flatMap(({ kind, text }) => (text.includes(alias) ? [{ kind, text }] : []));
const expectQueueEmpty = () =>
  vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0), { timeout: 10_000 });

describe("an absence note with an aligned signature", () => {
  test("reaches the original sender from the alias, as automatic mail with the null sender", async () => {
    const { alias, sender, bounceTo } = await forwarded();
    expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo))))).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    expect(mail).toMatchObject({ envelopeFrom: "", rcptTo: [sender] });
    const bytes = String(mail?.bytes);
    const { from, to, headers, text } = await PostalMime.parse(bytes);
    expect([from?.address, from?.name, to?.map(({ address }) => address)]).toEqual([alias, "", [sender]]);
    expect(headers.filter((it) => it.key === "auto-submitted").map((it) => it.value)).toEqual(["auto-replied"]);
    expect(text).toContain("I am away until Monday.");
    expect(bytes).not.toMatch(/jonas|inbox\.example|SRS0|sieve/i);
    expect(await noticesOf(alias)).toEqual([]);
  });

  test("is sent to one person once in seven days, and to another person at once", async () => {
    const { alias, sender, bounceTo } = await forwarded();
    for (let again = 0; again < 3; again++)
      expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo))))).toMatch(/^250 /);
    // A second message of the same sender, in another spelling, gives another bounce address of the same person.
    const later = await forwarded({ to: alias, sender: sender.toUpperCase() });
    expect(await send(later.bounceTo, await signed(textOf(noteTo(later.bounceTo))))).toMatch(/^250 /);
    const other = await forwarded({ to: alias });
    expect(await send(other.bounceTo, await signed(textOf(noteTo(other.bounceTo))))).toMatch(/^250 /);
    await expectQueueEmpty();
    const told = mx.messages.filter(({ envelopeFrom }) => envelopeFrom === "").map(({ rcptTo }) => rcptTo[0]);
    expect(told.sort()).toEqual([sender, other.sender].sort());
    expect(await noticesOf(alias)).toEqual([]);
    await system.server.store.sentAnswers.deleteEnded(new Date(Date.now() + 7 * 86_400_000 - 60_000));
    expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo))))).toMatch(/^250 /);
    await expectQueueEmpty();
    expect(mx.messages).toHaveLength(told.length);
    await system.server.store.sentAnswers.deleteEnded(new Date(Date.now() + 7 * 86_400_000 + 60_000));
    expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo))))).toMatch(/^250 /);
    await mx.waitForMessages(told.length + 1);
  });

  test.each([true, false])("that names the mailbox is not sent, with the leak guard on: %s", async (leakGuard) => {
    await person.call("PATCH", "/api/account/settings", { leakGuard });
    const { alias, bounceTo } = await forwarded();
    const note = textOf(noteTo(bounceTo, { body: `I am away. Write to ${home} again on Monday.` }));
    expect(await send(bounceTo, await signed(note))).toMatch(/^250 /);
    expect(await noticesOf(alias)).toEqual([
      { kind: "answer_not_sent", text: expect.stringContaining("contains the address of your mailbox") },
    ]);
    await expectQueueEmpty();
    expect(mx.messages).toEqual([]);
  });

  test("of a mailbox that is not confirmed is not sent", async () => {
    const { alias, bounceTo } = await forwarded({ mailbox: "new@inbox.example" });
    expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo, { from: "new@inbox.example" }))))).toMatch(
      /^250 /,
    );
    expect(await noticesOf(alias)).toMatchObject([{ kind: "answer_not_sent" }]);
    await expectQueueEmpty();
    expect(mx.messages.filter(({ envelopeFrom }) => envelopeFrom === "")).toEqual([]);
  });

  test("to a list's or a program's address is taken and not sent, as hosts do without an alias", async () => {
    for (const name of ["owner-news", "news-request", "MAILER-DAEMON", "listserv"]) {
      const { bounceTo } = await forwarded({ sender: `${name}@sender.example` });
      expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo))))).toMatch(/^250 /);
    }
    await expectQueueEmpty();
    expect(mx.messages).toEqual([]);
  });
});

describe("an absence note without the proof is taken, not sent, and told to the owner", () => {
  test.each<[string, (note: Note) => string | Promise<string>]>([
    ["no signature, only SPF of the host", textOf],
    ["the signature of another domain", (note) => signed(textOf(note), "other.example")],
    ["a signature over another recipient", async (note) => (await signed(textOf(note))).replace("To: <", "To: <x")],
    ["a changed text", async (note) => `${await signed(textOf(note))}More.\r\n`],
    ["no mark as automatic", (note) => signed(textOf({ ...note, fields: [] }))],
    ["another mark", (note) => signed(textOf({ ...note, fields: ["Auto-Submitted: auto-generated"] }))],
  ])("%s", async (_, write) => {
    const { alias, bounceTo } = await forwarded();
    expect(await send(bounceTo, await write(noteTo(bounceTo)))).toMatch(/^250 /);
    expect(await noticesOf(alias)).toEqual([{ kind: "answer_not_sent", text: expect.stringContaining(alias) }]);
    await expectQueueEmpty();
    expect(mx.messages).toEqual([]);
  });

  test("the note of somebody else at the mailbox' domain counts as a failure of unknown reason", async () => {
    const { alias, bounceTo } = await forwarded();
    const note = textOf(noteTo(bounceTo, { from: "postmaster@inbox.example" }));
    expect(await send(bounceTo, await signed(note))).toMatch(/^250 /);
    expect(await noticesOf(alias)).toEqual([{ kind: "delivery_failed", text: expect.stringContaining("came back") }]);
    await expectQueueEmpty();
    expect(mx.messages).toEqual([]);
  });

  test("a note about mail whose sender was not proven goes to nobody", async () => {
    const { alias, bounceTo } = await forwarded({ sender: `eve${++count}@unproven.example` });
    expect(bounceTo).toMatch(/^srs0-/);
    expect(await send(bounceTo, await signed(textOf(noteTo(bounceTo))))).toMatch(/^250 /);
    expect((await noticesOf(alias))[0]?.text).toContain("sender of that mail is not proven");
    await expectQueueEmpty();
    expect(mx.messages).toEqual([]);
  });

  test("a signed note of one alias' mailbox, sent again to another bounce address, is not sent", async () => {
    const first = await forwarded();
    const second = await forwarded();
    const note = await signed(textOf(noteTo(first.bounceTo)));
    expect(await send(second.bounceTo, note)).toMatch(/^250 /);
    await expectQueueEmpty();
    expect(mx.messages).toEqual([]);
    expect(await send(first.bounceTo, note), "control").toMatch(/^250 /);
    await mx.waitForMessages(1);
  });
});

test("a note whose key can't be read now is deferred, whoever wrote it", async () => {
  const { alias, bounceTo } = await forwarded();
  const note = textOf(noteTo(bounceTo));
  const reply = await send(bounceTo, await signed(note, "inbox.example", "slow"));
  expect(reply).toMatch(/^451 4\.7\.0 /);
  const other = textOf(noteTo(bounceTo, { from: "nobody@inbox.example" }));
  expect(await send(bounceTo, await signed(other, "inbox.example", "slow"))).toBe(reply);
  expect(await noticesOf(alias)).toEqual([]);
});

test("a report from a host whose own domain rejects unsigned mail is taken at a bounce address, and only there", async () => {
  const { alias, bounceTo } = await forwarded();
  const report = "From: MAILER-DAEMON@strict.example\r\nSubject: x\r\n\r\nreject reason: Mailbox full\r\n";
  expect(await send(bounceTo, report)).toMatch(/^250 /);
  expect((await noticesOf(alias))[0]?.text).toContain("came back");
  expect(await send(alias, report)).toMatch(/^550 5\.7\.26 /);
});
