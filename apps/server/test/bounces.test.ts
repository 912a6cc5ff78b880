/**
 * Delivery reports: those that come back for forwarded mail, and our own to authenticated senders. None names a
 * destination.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, describe, expect, test, vi } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "sender.example": spf });
const { mx, system } = await setUpForwarding({ dns, env: { KAUKE_RETRY_SCHEDULE: "1s" } });
let person: Person;

beforeEach(async () => {
  mx.reset();
  person = await registerPerson(system.url);
});

let count = 0;
const message =
  "From: Ann <ann@sender.example>\r\nSubject: hi\r\nDate: Sun, 1 Mar 2026 12:00:00 +0200\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n";
/** A new sender for each test, because the number of reports to one address is limited. */
const newSender = () => `ann${++count}@sender.example`;

async function forwarded(from: string) {
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias.alias}@kauke.test`;
  const { last } = await sendMail({ port: system.mxPort, from, to: address, message });
  return { address, last };
}

function report(returned: string): string {
  const lines = [
    "From: MAILER-DAEMON@mx.inbox.example",
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "<jonas@inbox.example>: mailbox full",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.inbox.example",
    "",
    "Final-Recipient: rfc822; jonas@inbox.example",
    "Action: failed",
    "Status: 5.2.2",
    "--b",
    "Content-Type: message/rfc822",
    "",
    returned,
    "--b--",
    "",
  ];
  return lines.join("\r\n");
}

test("a report about forwarded mail becomes a notice to the owner and a report of ours that names the alias alone", async () => {
  const from = newSender();
  const { address } = await forwarded(from);
  const [mail] = await mx.waitForMessages(1);
  const bounceTo = mail?.envelopeFrom as string;
  expect(bounceTo).toMatch(/^SRS0=/);
  const { last } = await sendMail({
    port: system.mxPort,
    from: "",
    to: bounceTo,
    message: report(String(mail?.bytes)),
  });
  expect(last).toMatch(/^250 /);
  const ours = (await mx.waitForMessages(2))[1];
  expect(ours?.rcptTo).toEqual([from]);
  expect(ours?.envelopeFrom).toBe("");
  const text = String(ours?.bytes);
  expect(text).toContain("Status: 5.2.2");
  expect(text).toContain(`Final-Recipient: rfc822; ${address}`);
  expect(text).not.toMatch(/jonas|inbox\.example/);
  expect((await person.notices())[0]?.text).toContain(`A message to ${address} came back`);
});

test.each([
  ["86 octets, as mailing services write", `bounces+${"7".repeat(60)}-d3b0=${"x".repeat(12)}`, ""],
  ["256 octets with odd spelling", `Taro..${"Y".repeat(249)}.`, ""],
  ["a quoted local part", `"${"a b@".repeat(20)}\\"c"`, ""],
  ["a non-ASCII address", "jūratė", "SMTPUTF8"],
])("a bounce reaches a sender that does not fit into SRS, in the very spelling: %s", async (_, local, params) => {
  const from = `${local}@sender.example`;
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const to = `${alias.alias}@kauke.test`;
  const mail = { port: system.mxPort, from, to, message, ...(params === "" ? {} : { params }) };
  expect((await sendMail(mail)).last).toMatch(/^250 /);
  const [copy] = await mx.waitForMessages(1);
  const bounceTo = copy?.envelopeFrom as string;
  expect(bounceTo).toMatch(/^srs0-[a-z2-7-]{59}@kauke\.test$/);
  const bounce = { port: system.mxPort, from: "", to: bounceTo, message: report(String(copy?.bytes)) };
  expect((await sendMail(bounce)).last).toMatch(/^250 /);
  const ours = (await mx.waitForMessages(2))[1];
  expect(ours?.rcptTo).toEqual([from]);
  expect(ours?.envelopeFrom).toBe("");
  const text = String(ours?.bytes);
  expect(text).toContain(`Final-Recipient: rfc822; ${to}`);
  expect(text).not.toMatch(/jonas|inbox\.example/);
  expect((await person.notices())[0]?.text).toContain(`A message to ${to} came back`);
});

test("mail of a sender with a non-ASCII address reaches a host without SMTPUTF8, from the alias' own bounce address", async () => {
  mx.options = { extensions: ["PIPELINING", "8BITMIME", "ENHANCEDSTATUSCODES"] };
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const to = `${alias.alias}@kauke.test`;
  const text = "From: jūratė@sender.example\r\nSubject: labas\r\n\r\nlabas\r\n";
  const mail = { port: system.mxPort, from: "jūratė@sender.example", to, message: text, params: "SMTPUTF8" };
  expect((await sendMail(mail)).last).toMatch(/^250 /);
  const [got] = await mx.waitForMessages(1);
  expect(got?.envelopeFrom).toMatch(/^srs0-[a-z2-7-]+@kauke\.test$/);
});

test.each([
  ["a report in a host's own words", "postmaster@mx.inbox.example", "reject reason: Mailbox full", "came back"],
  ["a report in another language", "MAILER-DAEMON@inbox.example", "Постоянная ошибка", "came back"],
  ["an absence note", "jonas@inbox.example", "I am away until Monday.", "answered mail to"],
])("%s to a bounce address is taken, and told to the owner without its text", async (_, from, body, told) => {
  const { address } = await forwarded(newSender());
  const [mail] = await mx.waitForMessages(1);
  const to = mail?.envelopeFrom as string;
  const note = `From: ${from}\r\nSubject: x\r\nAuto-Submitted: auto-replied\r\n\r\n${body}\r\n`;
  expect((await sendMail({ port: system.mxPort, from: "", to, message: note })).last).toMatch(/^250 /);
  const text = (await person.notices())[0]?.text;
  expect(text).toContain(told);
  expect(text).toContain(address);
  expect(text).not.toContain(body);
  expect(mx.messages).toHaveLength(1);
});

test("a bounce address takes mail from the null sender only", async () => {
  await forwarded(newSender());
  const [mail] = await mx.waitForMessages(1);
  const to = mail?.envelopeFrom as string;
  expect((await sendMail({ port: system.mxPort, from: "x@sender.example", to, message: report("") })).last).toMatch(
    /^550 /,
  );
});

test("the authenticated sender of mail that finally fails gets a report in our own words", async () => {
  mx.options = {
    answer: ({ stage, line }) =>
      stage === "rcpt" && line.includes("jonas@") ? "450 4.2.1 no jonas@inbox.example now" : undefined,
  };
  const from = newSender();
  const { address, last } = await forwarded(from);
  expect(last).toMatch(/^250 /);
  const [ours] = await mx.waitForMessages(1);
  expect(ours?.rcptTo).toEqual([from]);
  const text = String(ours?.bytes);
  expect(text).toContain(`Final-Recipient: rfc822; ${address}`);
  expect(text).toContain("    Subject: hi\r\n    Sent: Sun, 1 Mar 2026 12:00:00 +0200\r\n");
  expect(text).toContain("    Message-ID: <1@sender.example>\r\n");
  expect(text).toContain(
    "The address does not take mail at present.\r\nDelivery was tried for 1 second.\r\nTrying again",
  );
  expect(text).toContain("\r\nStatus: 5.4.7\r\n");
  expect(text).toMatch(/text\/rfc822-headers[^]*\r\nSubject: hi\r\nDate: .*\r\nMessage-ID: <1@sender\.example>\r\n/);
  expect(text).not.toMatch(/jonas|inbox\.example/);
  expect((await person.notices())[0]?.text).toContain(
    "it did not take the message within 1 second: there is no such mailbox.",
  );
});

test("the authenticated sender gets a report about an alias that refused what another accepted, with their message", async () => {
  mx.options = {
    answer: ({ stage, line }) =>
      stage === "rcpt" && line.includes("jonas@") ? "550 5.2.2 jonas@inbox.example is full" : undefined,
  };
  const from = newSender();
  const full = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const other = await person.createAlias({ forwardTo: "rasa@inbox.example" });
  const to = [`${full.alias}@kauke.test`, `${other.alias}@kauke.test`];
  const { last } = await sendMail({ port: system.mxPort, from, to, message });
  expect(last).toMatch(/^250 /);
  const mails = await mx.waitForMessages(2);
  const text = String(mails.find(({ rcptTo }) => rcptTo[0] === from)?.bytes);
  expect(text).toContain("    Subject: hi\r\n");
  expect(text).toContain("There is no room for more mail.\r\nPlease try again in a few days.");
  expect(text).not.toMatch(/jonas|rasa|inbox\.example/);
});

test("if one of two mailboxes accepted the message, neither the other's failure nor a report about it reaches the sender", async () => {
  mx.options = {
    answer: ({ stage, line }) => (stage === "rcpt" && line.includes("jonas@") ? "450 4.2.1 later" : undefined),
  };
  const from = newSender();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example, rasa@inbox.example" });
  await sendMail({ port: system.mxPort, from, to: `${alias.alias}@kauke.test`, message });
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.rcptTo).toEqual(["rasa@inbox.example"]);
  const bounceTo = mail?.envelopeFrom as string;
  expect(bounceTo).toMatch(/^srs0-/);
  const bounce = { port: system.mxPort, from: "", to: bounceTo, message: report(String(mail?.bytes)) };
  expect((await sendMail(bounce)).last).toMatch(/^250 /);
  const started = Date.now();
  while ((await person.notices()).length < 2 && Date.now() - started < 15_000)
    await new Promise((done) => setTimeout(done, 100));
  expect((await person.notices()).map(({ text }) => text).join()).toMatch(
    /could not be delivered.*came back|came back/s,
  );
  expect(mx.messages).toHaveLength(1);
});

describe("an alias with two mailboxes", () => {
  /** @param answers replies to RCPT for each mailbox, in order; after the last one the message is accepted */
  async function send(from: string, answers: Record<string, string[]>): Promise<void> {
    mx.options = {
      answer: ({ stage, line }) =>
        stage === "rcpt" ? answers[/<(\w+)@inbox/.exec(line)?.[1] ?? ""]?.shift() : undefined,
    };
    const alias = await person.createAlias({ forwardTo: "jonas@inbox.example, rasa@inbox.example" });
    const other = await person.createAlias({ forwardTo: "ema@inbox.example" });
    const to = [alias, other].map((it) => `${it.alias}@kauke.test`);
    expect((await sendMail({ port: system.mxPort, from, to, message })).last).toMatch(/^250 /);
  }
  const always = (answer: string) => Array.from({ length: 20 }, () => answer);
  const failures = async () => (await person.notices()).filter(({ text }) => text.includes("could not be delivered"));
  const reportsTo = (from: string) => mx.messages.filter(({ rcptTo }) => rcptTo[0] === from);
  const [busy, full] = ["450 4.2.1 later", "550 5.2.2 full"];

  test.each([
    ["both give up after days", always(busy), always(busy)],
    ["one refuses at once, the other gives up after days", always(full), always(busy)],
    ["one refuses at once, the other at the second attempt", always(full), [busy, ...always(full)]],
    ["both refuse at once, and another alias accepts it", always(full), always(full)],
  ])(
    "of which none accepts the message leads to one report to the authenticated sender: %s",
    async (_, jonas, rasa) => {
      const from = newSender();
      await send(from, { jonas, rasa });
      await vi.waitFor(async () => expect(await failures()).toHaveLength(2));
      await vi.waitFor(() => expect(reportsTo(from)).toHaveLength(1));
      expect(String(reportsTo(from)[0]?.bytes)).not.toMatch(/jonas|rasa|inbox\.example/);
      await expectQueueEmpty();
      expect(reportsTo(from)).toHaveLength(1);
    },
  );

  test.each([
    ["at once, and the other refuses", always(full), []],
    ["at once, and the other gives up after days", always(busy), []],
    ["at the second attempt, and the other refuses at once", always(full), [busy]],
    ["at the second attempt, when the other gives up", always(busy), [busy]],
  ])("of which one accepts the message leads to no report to the sender: %s", async (_, jonas, rasa) => {
    const from = newSender();
    await send(from, { jonas, rasa });
    await vi.waitFor(async () => expect(await failures()).toHaveLength(1));
    await expectQueueEmpty();
    expect(mx.messages.map(({ rcptTo }) => rcptTo[0]).sort()).toEqual(["ema@inbox.example", "rasa@inbox.example"]);
  });

  /** Reports are queued themselves, so an empty queue means that none will follow. */
  async function expectQueueEmpty(): Promise<void> {
    await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0));
  }
});

test("a complaint at abuse@ about forwarded mail becomes a notice to the owner; one that names no message of ours does not", async () => {
  const { address } = await forwarded(newSender());
  const [mail] = await mx.waitForMessages(1);
  const complaint = (mailFrom: string) =>
    [
      "From: <feedback@inbox.example>",
      'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
      "",
      "--b",
      "Content-Type: message/feedback-report",
      "",
      "Feedback-Type: abuse",
      `Original-Mail-From: <${mailFrom}>`,
      "Original-Rcpt-To: <jonas@inbox.example>",
      "--b--",
      "",
    ].join("\r\n");
  const send = (mailFrom: string) =>
    sendMail({ port: system.mxPort, from: newSender(), to: "abuse@kauke.test", message: complaint(mailFrom) });
  const forged = String(mail?.envelopeFrom).replace(/=[^=]{3}/, "=zzz");
  for (const mailFrom of [address, forged, "somebody@example.org", "", "<>"])
    expect((await send(mailFrom)).last).toMatch(/^250 /);
  expect(await person.notices()).toEqual([]);
  for (let again = 0; again < 2; again++) expect((await send(String(mail?.envelopeFrom))).last).toMatch(/^250 /);
  const notices = await person.notices();
  expect(notices.map(({ kind }) => kind)).toEqual(["complaint"]);
  expect(notices[0]?.text).toContain(`A message forwarded for ${address} was marked as spam`);
});

test("an unauthenticated sender gets no report", async () => {
  mx.options = {
    answer: ({ stage, line }) => (stage === "rcpt" && line.includes("jonas@") ? "450 4.2.1 later" : undefined),
  };
  const { last } = await forwarded(`eve@unproven.example`);
  expect(last).toMatch(/^250 /);
  const started = Date.now();
  while ((await person.notices()).length === 0 && Date.now() - started < 15_000)
    await new Promise((done) => setTimeout(done, 100));
  expect(mx.messages).toEqual([]);
});

test("mail from one alias to another is not sent out, and is forwarded as usual", async () => {
  const other = await registerPerson(system.url);
  const mine = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const theirs = await other.createAlias({ forwardTo: "rasa@elsewhere.example" });
  const { store } = system.server;
  const now = new Date();
  const wire = Buffer.from(
    `From: ${mine.alias}@kauke.test\r\nTo: ${theirs.alias}@kauke.test\r\nSubject: in\r\n\r\nhello\r\n`,
  );
  const id = crypto.randomUUID();
  await store.bodies.put(id, [wire]);
  const envelope = {
    envelopeFrom: "",
    helo: "",
    clientAddress: "",
    protocol: "ESMTP",
    receivedAt: now,
    eightBit: false,
    smtpUtf8: false,
  } as const;
  const target = {
    purpose: "send",
    destination: { kind: "mailbox", address: `${theirs.alias}@kauke.test` },
    aliasAddress: `${mine.alias}@kauke.test`,
  } as const;
  const delivery = {
    id: crypto.randomUUID(),
    messageId: id,
    aliasId: mine.id,
    userId: person.user.id,
    target,
    attempts: 0,
    createdAt: now,
    notBefore: now,
    lease: null,
    lastFailure: null,
  };
  await store.deliveries.enqueue({ id, envelope, sizeBytes: wire.length, createdAt: now }, [delivery]);
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.rcptTo).toEqual(["rasa@elsewhere.example"]);
  expect(String(mail?.bytes)).toContain(`${mine.alias} at kauke.test`);
  expect(String(mail?.bytes)).not.toContain("Unverified");
});
