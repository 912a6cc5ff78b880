/**
 * Attacks by bounces: anyone who has seen the envelope sender of a forwarded message (the host of an inbox, or a person
 * who had an alias forward to themselves) can write any report to it.
 */
import { srsForward, toBase32 } from "@kauke/mail-rfc";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const dns = createFakeDns({ "sender.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
const clock = { now: () => new Date(Date.now() + laterMs) };
let laterMs = 0;
const { mx, system } = await setUpForwarding({ dns, env: { KAUKE_RETRY_SCHEDULE: "1s" }, overrides: { clock } });
let attacker: Person;
let victim: Person;

beforeEach(async () => {
  laterMs = 0;
  mx.reset();
  attacker = await registerPerson(system.url);
  victim = await registerPerson(system.url);
});

let senders = 0;
const newSender = () => `ann${++senders}@sender.example`;
/** An address that is too long for SRS. */
const longSender = () => `${"bounces-".repeat(8)}${++senders}@sender.example`;

async function makeAlias(person: Person, forwardTo = "attacker@inbox.example") {
  const alias = await person.createAlias({ forwardTo });
  return { id: alias.id, address: `${alias.alias}@${alias.domain}` };
}

/** @returns the envelope sender that the mail host of the alias' inbox sees */
async function bounceAddressOf(alias: { address: string }, from = newSender()): Promise<string> {
  const subject = `message ${crypto.randomUUID()}`;
  const message = `From: Ann <${from}>\r\nSubject: ${subject}\r\n\r\nbody\r\n`;
  const { last } = await sendMail({ port: system.mxPort, from, to: alias.address, message });
  expect(last).toMatch(/^250 /);
  // The forwarded copy arrived before the reply to its sender. Our own delivery reports may have arrived since, so the
  // copy is identified by its subject.
  return mx.messages.find((mail) => mail.bytes.includes(subject))?.envelopeFrom as string;
}

interface Report {
  action?: string;
  status?: string;
  /** Address of the alias whose mail the report claims to return. */
  returns?: string;
}

function report({ action = "failed", status = "5.2.2", returns = "nobody@kauke.test" }: Report = {}): string {
  const lines = [
    "From: MAILER-DAEMON@mx.inbox.example",
    "Subject: Undelivered Mail Returned to Sender",
    `Delivered-To: ${returns}`,
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    `Delivered-To: ${returns}`,
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.inbox.example",
    `Original-Recipient: rfc822; ${returns}`,
    "",
    `Final-Recipient: rfc822; ${returns}`,
    `Action: ${action}`,
    `Status: ${status}`,
    "--b",
    "Content-Type: message/rfc822",
    "",
    `Delivered-To: ${returns}`,
    `To: ${returns}`,
    "Subject: hi",
    "",
    "--b--",
    "",
  ];
  return lines.join("\r\n");
}

async function bounce(to: string, what: Report = {}): Promise<string> {
  return (await sendMail({ port: system.mxPort, from: "", to, message: report(what) })).last;
}

/**
 * @returns the whole text of each message sent with the null sender. All attempts are finished by then, so that nothing
 * more is going to leave.
 */
async function sentAfterwards(): Promise<string[]> {
  const fence = await makeAlias(attacker, "fence@inbox.example");
  await bounceAddressOf(fence);
  await expect.poll(() => system.server.store.deliveries.count()).toBe(0);
  return mx.messages.filter((mail) => mail.envelopeFrom === "").map((mail) => String(mail.bytes));
}

const noticesAbout = async (person: Person) => (await person.notices()).map(({ text }) => text);

test("a report to the attacker's own bounce address cannot make claims about somebody else's alias", async () => {
  const [mine, theirs] = [await makeAlias(attacker), await makeAlias(victim, "victim@inbox.example")];
  expect(await bounce(await bounceAddressOf(mine), { returns: theirs.address })).toMatch(/^250 /);
  // Control: the report was accepted, and the owner of the alias that the address belongs to was notified.
  expect(await noticesAbout(attacker)).toEqual([expect.stringContaining(`A message to ${mine.address} came back`)]);
  expect(await noticesAbout(victim)).toEqual([]);
  const [ours, ...more] = await sentAfterwards();
  expect(ours).toContain(`Final-Recipient: rfc822; ${mine.address}`);
  expect(ours).not.toContain(theirs.address);
  expect(more).toEqual([]);
});

test("a bounce address is bound to its alias, its sender and its domain", async () => {
  const [mine, theirs] = [await makeAlias(attacker), await makeAlias(victim)];
  const from = newSender();
  const [own, foreign] = [await bounceAddressOf(mine, from), await bounceAddressOf(theirs, from)];
  const [, proof = "", hint = ""] = /^SRS0=([a-z2-7]{8})([a-z2-7]{6})=/.exec(own) ?? [];
  const [, foreignProof = "", foreignHint = ""] = /^SRS0=([a-z2-7]{8})([a-z2-7]{6})=/.exec(foreign) ?? [];
  expect(foreignHint).not.toBe(hint);
  const forged = [
    own.replace(hint, foreignHint),
    own.replace(proof, foreignProof),
    own.replace(hint, ""),
    own.replace("@kauke.test", "@vejas.test"),
    own.replace("sender.example", "victim.example"),
    own.replace(/=([A-Z2-7]{2})=/, "=AA="),
  ];
  for (const address of forged) {
    expect(address).not.toBe(own);
    expect([address, await bounce(address)]).toEqual([address, expect.stringMatching(/^550 5\.1\.1 /)]);
  }
  expect(await noticesAbout(attacker)).toEqual([]);
  expect(await bounce(own.toLowerCase())).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
});

test.each([
  ["with the sender in it", "attacker@inbox.example", newSender],
  ["with a token of the sender", "attacker@inbox.example", () => longSender()],
  ["of the alias alone", "attacker@inbox.example", () => "eve@unproven.example"],
])("a bounce address %s expires after three weeks", async (_, forwardTo, makeSender) => {
  const own = await bounceAddressOf(await makeAlias(attacker, forwardTo), makeSender());
  laterMs = 23 * 86_400_000;
  expect(await bounce(own)).toMatch(/^550 5\.1\.1 /);
  laterMs = 20 * 86_400_000;
  expect(await bounce(own)).toMatch(/^250 /);
});

test("a failure at one of an alias' two mailboxes is not reported to the sender: the other may have accepted the message", async () => {
  const two = await makeAlias(attacker, "one@inbox.example, two@inbox.example");
  const address = await bounceAddressOf(two);
  expect(await bounce(address)).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
  expect(await sentAfterwards()).toEqual([]);
  const one = await makeAlias(attacker);
  expect(await bounce(await bounceAddressOf(one))).toMatch(/^250 /);
  expect(await sentAfterwards()).toHaveLength(1);
});

test.each([
  ["delayed", "4.2.2"],
  ["delivered", "2.0.0"],
  ["relayed", "2.0.0"],
])("a report about mail that is %s notifies nobody of a failure", async (action, status) => {
  const address = await bounceAddressOf(await makeAlias(attacker));
  expect(await bounce(address, { action, status })).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toEqual([]);
  expect(await sentAfterwards()).toEqual([]);
  expect(await bounce(address)).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
});

test("a status code outside the standard is not passed on", async () => {
  const [first, second] = [await makeAlias(attacker), await makeAlias(attacker)];
  await bounce(await bounceAddressOf(first), { status: "5.911.123" });
  await bounce(await bounceAddressOf(second), { status: "5.7.26" });
  const [unknown, known] = await sentAfterwards();
  expect(unknown).toContain("Status: 5.0.0");
  expect(known).toContain("Status: 5.7.26");
});

test("forty reports to one bounce address become one notice and few reports to the sender", async () => {
  const from = newSender();
  const alias = await makeAlias(attacker);
  const address = await bounceAddressOf(alias, from);
  for (let sent = 0; sent < 40; sent++) expect(await bounce(address)).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
  expect(await sentAfterwards()).toHaveLength(3);
  // Reports received as bounces do not use up the limit of our own reports about mail that failed in our queue.
  expect(await failHere(from)).toBe(1);
});

/**
 * Defers mail from this sender to another alias until its retry schedule ends. @returns number of delivery reports that
 * the sender gets about that mail
 */
async function failHere(from: string): Promise<number> {
  const other = await makeAlias(victim, "full@inbox.example");
  mx.options = {
    answer: ({ stage, line }) => (stage === "rcpt" && line.includes("full@") ? "450 4.2.1 later" : undefined),
  };
  const message = `From: Ann <${from}>\r\n\r\nbody\r\n`;
  expect((await sendMail({ port: system.mxPort, from, to: other.address, message })).last).toMatch(/^250 /);
  await expect.poll(() => system.server.store.deliveries.count(), { timeout: 20_000 }).toBe(0);
  mx.options = {};
  return mx.messages.filter((mail) => mail.bytes.includes(`Final-Recipient: rfc822; ${other.address}`)).length;
}

test("one alias with many senders causes few reports, and so does one account with many aliases", async () => {
  const alias = await makeAlias(attacker);
  for (let sent = 0; sent < 15; sent++) await bounce(await bounceAddressOf(alias));
  expect(await sentAfterwards()).toHaveLength(10);
  mx.messages.length = 0;
  for (let made = 0; made < 10; made++) {
    const another = await makeAlias(attacker);
    for (let sent = 0; sent < 5; sent++) await bounce(await bounceAddressOf(another));
  }
  expect(await sentAfterwards()).toHaveLength(30);
  // The limit of delivery reports of another account is not used up.
  mx.messages.length = 0;
  await bounce(await bounceAddressOf(await makeAlias(victim)));
  expect(await sentAfterwards()).toHaveLength(1);
});

test("a report to a hundred bounce addresses at once counts for each alias once", async () => {
  const alias = await makeAlias(attacker);
  const from = newSender();
  const address = await bounceAddressOf(alias, from);
  const to = Array.from({ length: 100 }, () => address);
  expect((await sendMail({ port: system.mxPort, from: "", to, message: report() })).last).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
  expect(await sentAfterwards()).toHaveLength(1);
});

test("bounce addresses of the previous version are accepted until they expire, and make no claims about aliases they do not name", async () => {
  const [mine, theirs] = [await makeAlias(attacker), await makeAlias(victim)];
  const { keys } = system.server.store;
  const hash = (data: string) => keys.hmac("srs", data);
  const isOurDomain = (domain: string) => domain === "kauke.test";
  const srs = { domain: "kauke.test", isOurDomain, hashes: [hash] as const, now: clock.now() };
  const older = srsForward("ann@sender.example", srs);
  expect(older).toMatch(/^SRS0=[a-z2-7]{8}=[A-Z2-7]{2}=sender\.example=ann@kauke\.test$/);
  expect(await bounce(older, { returns: theirs.address })).toMatch(/^250 /);
  expect(await noticesAbout(victim)).toEqual([]);
  const id = mine.id.replaceAll("-", "");
  const proof = hash(`bounce\0${id}`).toString("hex").slice(0, 16);
  expect(await bounce(`srs0-${id}-${proof}@kauke.test`, { returns: theirs.address })).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
  expect(await noticesAbout(victim)).toEqual([]);
  expect(await bounce(`srs0-${id}-${toBase32(Buffer.from(proof))}@kauke.test`)).toMatch(/^550 /);
  expect(await sentAfterwards()).toEqual([]);
  laterMs = 23 * 86_400_000;
  expect(await bounce(older)).toMatch(/^550 /);
});

test("a bounce address with a token is bound to its alias, its sender, its day and its domain", async () => {
  const [mine, theirs] = [await makeAlias(attacker), await makeAlias(victim)];
  const [from, other] = [longSender(), longSender()];
  const [own, second, foreign] = [
    await bounceAddressOf(mine, from),
    await bounceAddressOf(mine, other),
    await bounceAddressOf(theirs, from),
  ];
  const partsOf = (address: string) => address.split(/[-@]/);
  const [, id, stamp, proof, token = "", domain] = partsOf(own);
  const [, theirId, , , theirToken] = partsOf(foreign);
  expect(theirToken).not.toBe(token);
  const forged = [
    `srs0-${id}-${stamp}-${proof}-${partsOf(second)[4]}@${domain}`,
    `srs0-${id}-${stamp}-${proof}-${theirToken}@${domain}`,
    `srs0-${theirId}-${stamp}-${proof}-${token}@${domain}`,
    `srs0-${id}-aa-${proof}-${token}@${domain}`,
    `srs0-${id}-${stamp}-${proof}@${domain}`,
    `srs0-${id}-${stamp}-${proof}-${token}@vejas.test`,
    `srs0-${id}-${stamp}-${proof}-${"a".repeat(15)}@${domain}`,
  ];
  for (const address of forged)
    expect([address, await bounce(address)]).toEqual([address, expect.stringMatching(/^550 5\.1\.1 /)]);
  const fromPerson = { port: system.mxPort, from: "eve@sender.example", to: own, message: report() };
  expect((await sendMail(fromPerson)).last).toMatch(/^550 /);
  expect(await noticesAbout(attacker)).toEqual([]);
  expect(await bounce(own.toUpperCase())).toMatch(/^250 /);
  expect(await noticesAbout(attacker)).toHaveLength(1);
  expect(await sentAfterwards()).toHaveLength(1);
});
