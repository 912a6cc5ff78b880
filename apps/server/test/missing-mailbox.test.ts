/**
 * Mailboxes that do not exist according to their mail host, by the whole system: suspended after three messages over a
 * day, resumed by a click.
 */
import type { AliasWire, NoticeWire } from "@kauke/contract";
import type { FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test, vi } from "vitest";

const HOUR_MS = 3_600_000;
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const { mx, system } = await setUpForwarding({ overrides: { clock } });
let person: Person;
let made = 0;
let mailbox: string;

beforeEach(async () => {
  mx.reset();
  person = await registerPerson(system.url);
  mailbox = `gone${++made}@inbox.example`;
});

const answering = (wanted: string, reply: string): FakeMxOptions => ({
  answer: ({ stage }) => (stage === wanted ? reply : undefined),
});

async function aliasTo(forwardTo: string) {
  const alias = await person.createAlias({ forwardTo });
  let sent = 0;
  const to = `${alias.alias}@kauke.test`;
  const mail = async () => {
    const message = `From: ann@example.org\r\nSubject: ${++sent}\r\n\r\nbody\r\n`;
    return (await sendMail({ port: system.mxPort, to, message })).last;
  };
  const shown = async () => {
    const { body } = await callAgain(person, "GET", `/api/aliases/${person.user.id}`);
    return (body as { aliases: AliasWire[] }).aliases.find(({ id }) => id === alias.id)?.suspended;
  };
  return { mail, shown };
}

/** An API request in a new session: earlier ones have expired, because the clock was advanced. */
async function callAgain({ email, password }: Person, method: string, path: string, body?: object) {
  const post = { method: "POST", headers: { "content-type": "application/json" } };
  const signedIn = await fetch(`${system.url}/api/auth/login`, { ...post, body: JSON.stringify({ email, password }) });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const headers = { cookie, ...(body === undefined ? {} : post.headers) };
  const answer = await fetch(`${system.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

/** Sends three messages that the host rejects, the last more than a day after the first. */
async function refusedOverADay(mail: () => Promise<string>): Promise<void> {
  await mail();
  await mail();
  aheadMs += 24 * HOUR_MS;
  await mail();
}

test("the owner gets a notice, senders are rejected at RCPT, and one click tries the mailbox again", async () => {
  const { mail, shown } = await aliasTo(mailbox);
  mx.options = answering("rcpt", "550 5.1.1 no such user");
  await refusedOverADay(mail);
  expect(await shown()).toEqual([mailbox]);
  const { notices } = (await callAgain(person, "GET", "/api/notices")).body as { notices: NoticeWire[] };
  const notice = notices.find(({ kind }) => kind === "mailbox_suspended");
  expect(notice?.text).toContain(`Mail to ${mailbox} is refused for now`);
  mx.options = {};
  const asked = mx.commands.length;
  expect(await mail()).toMatch(/^550 5\.7\.1 Mail is refused where this alias leads/);
  expect(mx.commands).toHaveLength(asked);
  const other = await registerPerson(system.url);
  expect((await other.call("POST", "/api/mailboxes/resume", { address: mailbox })).status).toBe(404);
  expect((await callAgain(person, "POST", "/api/mailboxes/resume", { address: mailbox })).status).toBe(200);
  expect(await shown()).toBeUndefined();
  expect(await mail()).toMatch(/^250 /);
});

test("of two mailboxes the other goes on receiving mail", async () => {
  const { mail } = await aliasTo(`${mailbox}, rasa@inbox.example`);
  mx.options = {
    answer: ({ stage, line }) => (stage === "rcpt" && line.includes(mailbox) ? "550 5.1.1 no such user" : undefined),
  };
  await refusedOverADay(mail);
  mx.commands.length = 0;
  expect(await mail()).toMatch(/^250 /);
  expect(mx.commands.filter((line) => line.startsWith("RCPT"))).toEqual(["RCPT TO:<rasa@inbox.example>"]);
});

test.each<[string, FakeMxOptions]>([
  ["a refusal without an enhanced status code", answering("rcpt", "550 no")],
  ["a refusal by policy", answering("rcpt", "550 5.7.1 blocked")],
  ["a refusal after the dot", answering("body", "550 5.1.1 no such user")],
  ["a mailbox that is full", answering("rcpt", "552 5.2.2 full")],
])("%s suspends nothing", async (_, options) => {
  const { mail, shown } = await aliasTo(mailbox);
  mx.options = options;
  await refusedOverADay(mail);
  expect(await shown()).toBeUndefined();
});

test("a message accepted in between resets the count, and a report that claims a missing mailbox suspends nothing", async () => {
  const { mail, shown } = await aliasTo(mailbox);
  const gone = answering("rcpt", "550 5.1.1 no such user");
  mx.options = gone;
  await mail();
  await mail();
  mx.options = {};
  expect(await mail()).toMatch(/^250 /);
  const [taken] = await mx.waitForMessages(1);
  for (let report = 0; report < 3; report++) {
    const message = [
      "From: MAILER-DAEMON@mx.inbox.example",
      "Subject: Undelivered Mail Returned to Sender",
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      "",
      "--b",
      "Content-Type: message/delivery-status",
      "",
      `Final-Recipient: rfc822; ${mailbox}`,
      "Action: failed",
      "Status: 5.1.1",
      "--b--",
      "",
    ].join("\r\n");
    await sendMail({ port: system.mxPort, from: "", to: String(taken?.envelopeFrom), message });
  }
  mx.options = gone;
  aheadMs += 24 * HOUR_MS;
  await mail();
  expect(await shown()).toBeUndefined();
});

test("a retry that is accepted resets the count as well", async () => {
  const { mail, shown } = await aliasTo(mailbox);
  mx.options = answering("rcpt", "550 5.1.1 no such user");
  await mail();
  await mail();
  mx.options = answering("rcpt", "450 4.3.0 later");
  expect(await mail()).toMatch(/^250 /);
  mx.options = {};
  aheadMs += HOUR_MS;
  await vi.waitFor(() => expect(mx.messages).toHaveLength(1), { timeout: 30_000 });
  mx.options = answering("rcpt", "550 5.1.1 no such user");
  aheadMs += 24 * HOUR_MS;
  await mail();
  expect(await shown()).toBeUndefined();
}, 60_000);
