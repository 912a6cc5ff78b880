/** Mail from outside to the destinations of an alias, over real sockets: the table of outcomes of DESIGN. */
import { type ForwardingSystem, startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import type { TestSystem } from "@kauke/testkit/system";
import { afterAll, expect, test, vi } from "vitest";

/** @returns the body of a message; its header is not compared, because forwarding rewrites it */
const bodyOf = (raw: Buffer | undefined) => String(raw).slice(String(raw).indexOf("\r\n\r\n") + 4);
const message = "From: Ann <ann@example.org>\r\nSubject: hi\r\nMessage-ID: <1@example.org>\r\n\r\n.dotted\r\nbody\r\n";

const started = new Map<string, ForwardingSystem>();

afterAll(async () => {
  for (const { close } of started.values()) await close();
});

/** Starts one system for all tests with the same settings; each test registers accounts of its own. */
async function setUp(env: Record<string, string> = {}) {
  const key = JSON.stringify(env);
  const settings = { KAUKE_RETRY_SCHEDULE: "1s,1s,1s", ...env };
  const forwarding = started.get(key) ?? (await startForwardingSystem({ env: settings }));
  started.set(key, forwarding);
  const { mx, hook, system } = forwarding;
  mx.reset();
  hook.reset();
  const person = await registerPerson(system.url);
  const send = (to: string | string[], more: { from?: string; message?: string } = {}) =>
    sendMail({ port: system.mxPort, to, message, ...more });
  return { mx, hook, system, person, send };
}

const openDeliveries = (system: TestSystem) => system.server.store.deliveries.count();

test("mail reaches mailbox and webhook of an alias, its bytes unchanged, and nothing is stored", async () => {
  const { mx, hook, system, person, send } = await setUp();
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example, ${hook.url}` });
  const { last } = await send(`${alias.alias}@${alias.domain}`);
  expect(last).toMatch(/^250 2\.0\.0 Ok /);
  const mail = mx.messages[0];
  expect(mail?.rcptTo).toEqual(["jonas@inbox.example"]);
  // With two destinations bounces are addressed to the alias, and not to the sender.
  expect(mail?.envelopeFrom).toMatch(/^srs0-[a-z2-7-]+@kauke\.test$/);
  expect(mail?.bytes.toString()).toMatch(/^Delivered-To: \S+@kauke\.test\r\nReceived: from client\.example /);
  expect(bodyOf(mail?.bytes)).toBe(".dotted\r\nbody\r\n");
  const called = JSON.parse(String(hook.requests[0]?.body)) as { type: string; data: { alias: string; raw: string } };
  expect(called.type).toBe("email.received");
  expect(called.data.alias).toBe(`${alias.alias}@kauke.test`);
  expect(Buffer.from(called.data.raw, "base64").toString()).toBe(message);
  expect(await openDeliveries(system)).toBe(0);
});

test("a paused alias accepts mail and delivers nothing", async () => {
  const { mx, person, send, system } = await setUp();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const to = `${alias.alias}@kauke.test`;
  await send(to);
  await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: false });
  expect((await send(to)).last).toMatch(/^250 /);
  expect(mx.messages).toHaveLength(1);
  expect(await openDeliveries(system)).toBe(0);
});

test("unknown aliases, foreign domains and made-up bounce addresses are refused at RCPT", async () => {
  const { send, mx } = await setUp();
  const refused = ["nobody@kauke.test", "x@gmail.example", "SRS0=aaaaaaaa=AB=example.org=x@kauke.test"];
  const { replies } = await send(refused);
  expect(replies.slice(1)).toEqual([
    "550 5.1.1 No such address here",
    "550 5.7.1 This host does not relay",
    "550 5.7.1 This address takes delivery reports only",
  ]);
  expect(mx.messages).toEqual([]);
});

test("a renamed or deleted alias is unknown at once", async () => {
  const { person, send } = await setUp();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const to = `${alias.alias}@kauke.test`;
  expect((await send(to)).last).toMatch(/^250 /);
  await person.call("PUT", `/api/aliases/${alias.id}`, { alias: `${alias.alias}-new` });
  expect((await send(to)).last).toMatch(/^550 5\.1\.1 /);
  expect((await send(`${alias.alias}-new@kauke.test`)).last).toMatch(/^250 /);
  await person.call("DELETE", `/api/aliases/${alias.id}`);
  expect((await send(`${alias.alias}-new@kauke.test`)).last).toMatch(/^550 5\.1\.1 /);
});

test("case and a tag after the plus sign lead to the same alias", async () => {
  const { person, send, mx } = await setUp();
  await person.createAlias({ alias: "Shop.K7", forwardTo: "jonas@inbox.example" });
  await send("sHOP.k7+summer@KAUKE.test");
  expect(mx.messages).toHaveLength(1);
});

test("aliases of two owners in one transaction are both served, each by itself", async () => {
  const { system, person, send, mx } = await setUp();
  const other = await registerPerson(system.url);
  const mine = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const theirs = await other.createAlias({ forwardTo: "rasa@inbox.example" });
  const { last } = await send([`${mine.alias}@kauke.test`, `${theirs.alias}@kauke.test`]);
  expect(last).toMatch(/^250 /);
  expect(mx.messages.map((mail) => mail.rcptTo[0]).sort()).toEqual(["jonas@inbox.example", "rasa@inbox.example"]);
  for (const mail of mx.messages) {
    const isMine = mail.rcptTo[0] === "jonas@inbox.example";
    expect(mail.bytes.toString().includes(theirs.alias)).toBe(!isMine);
  }
});

test("a message that a destination defers is stored sealed, retried, and delivered once", async () => {
  const { mx, system, person, send } = await setUp();
  let asked = 0;
  mx.options = { answer: ({ stage }) => (stage === "rcpt" && asked++ === 0 ? "450 4.2.1 greylisted" : undefined) };
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  expect((await send(`${alias.alias}@kauke.test`)).last).toMatch(/^250 /);
  expect(await openDeliveries(system)).toBe(1);
  await mx.waitForMessages(1);
  await vi.waitFor(async () => expect(await openDeliveries(system)).toBe(0));
  expect(bodyOf(mx.messages[0]?.bytes)).toBe(".dotted\r\nbody\r\n");
  expect(mx.messages).toHaveLength(1);
});

test("if one of two destinations defers, only that one is retried", async () => {
  const { mx, system, person, send } = await setUp();
  let asked = 0;
  mx.options = {
    answer: ({ stage, line }) =>
      stage === "rcpt" && line.includes("slow") && asked++ === 0 ? "451 4.3.2 later" : undefined,
  };
  const alias = await person.createAlias({ forwardTo: "quick@inbox.example, slow@inbox.example" });
  expect((await send(`${alias.alias}@kauke.test`)).last).toMatch(/^250 /);
  await mx.waitForMessages(2);
  await vi.waitFor(async () => expect(await openDeliveries(system)).toBe(0));
  expect(mx.messages.map((mail) => mail.rcptTo[0])).toEqual(["quick@inbox.example", "slow@inbox.example"]);
});

test("if every destination refuses, so do we, in our own words and without naming one", async () => {
  const { mx, person, send, system } = await setUp();
  mx.options = { answer: ({ stage }) => (stage === "rcpt" ? "550 5.1.1 jonas@inbox.example unknown" : undefined) };
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { last } = await send(`${alias.alias}@kauke.test`);
  expect(last).toBe("550 5.7.1 Mail is refused where this alias leads");
  expect(await openDeliveries(system)).toBe(0);
});

test("if one destination refuses and another accepts, only the owner is notified", async () => {
  const { mx, person, send } = await setUp();
  mx.options = {
    answer: ({ stage, line }) => (stage === "rcpt" && line.includes("gone@") ? "550 5.1.1 no such user" : undefined),
  };
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example, gone@inbox.example" });
  expect((await send(`${alias.alias}@kauke.test`)).last).toMatch(/^250 /);
  const notices = await person.notices();
  expect(notices.map((it) => it.text)).toEqual([
    `Mail to ${alias.alias}@kauke.test could not be delivered to gone@inbox.example: there is no such mailbox.`,
  ]);
});

test("a message that a destination keeps deferring finally fails, and the owner is notified", async () => {
  const { mx, person, send, system } = await setUp({ KAUKE_RETRY_SCHEDULE: "1s" });
  mx.options = { answer: ({ stage }) => (stage === "rcpt" ? "450 4.2.1 later" : undefined) };
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  expect((await send(`${alias.alias}@kauke.test`)).last).toMatch(/^250 /);
  await vi.waitFor(async () => expect(await person.notices()).toHaveLength(1), { timeout: 10_000 });
  expect(await openDeliveries(system)).toBe(0);
});

test("a message that has already passed this alias is a loop", async () => {
  const { person, send } = await setUp();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias.alias}@kauke.test`;
  const { last } = await send(address, { message: `Delivered-To: ${address.toUpperCase()}\r\n${message}` });
  expect(last).toBe("554 5.4.6 Mail loop: this message was here before, or has passed too many hosts");
});

test("a message with a hundred Received fields is a loop", async () => {
  const { person, send } = await setUp();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const trace = "Received: from a by b; Sat, 21 Nov 2026 09:00:00 +0000\r\n".repeat(100);
  expect((await send(`${alias.alias}@kauke.test`, { message: trace + message })).last).toMatch(/^554 5\.4\.6 /);
});

test("mail to postmaster and abuse is accepted on every domain and stored sealed for the operator", async () => {
  const { send, system, mx } = await setUp();
  for (const to of ["postmaster@kauke.test", "Abuse@vejas.test", "postmaster"]) {
    expect((await send(to)).last).toMatch(/^250 /);
  }
  expect(await system.server.store.deliveries.countKeptForOperator()).toBe(3);
  expect(mx.messages).toEqual([]);
});

test("with KAUKE_POSTMASTER set the operator's mail is forwarded there", async () => {
  const { send, mx } = await setUp({ KAUKE_POSTMASTER: "op@inbox.example" });
  expect((await send("postmaster@kauke.test")).last).toMatch(/^250 /);
  expect(mx.messages[0]?.rcptTo).toEqual(["op@inbox.example"]);
});

test("a sender too long for SRS is replaced by a bounce address of the alias with a token", async () => {
  const { mx, person, send } = await setUp();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const from = `${"long".repeat(15)}@${"host".repeat(10)}.example`;
  expect((await send(`${alias.alias}@kauke.test`, { from })).last).toMatch(/^250 /);
  const bounceTo = mx.messages[0]?.envelopeFrom as string;
  expect(bounceTo).toMatch(/^srs0-[a-z2-7]{26}-[a-z2-7]{2}-[a-z2-7]{13}-[a-z2-7]{15}@kauke\.test$/);
  const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b--\r\n';
  expect((await send(bounceTo.toUpperCase(), { from: "", message: report })).last).toMatch(/^250 /);
});

test("a webhook call is signed so that its owner can verify it, and an answer of 2xx accepts the message", async () => {
  const { hook, person, send, system } = await setUp();
  hook.options = { statuses: [503, 200] };
  const alias = await person.createAlias({ forwardTo: hook.url });
  expect((await send(`${alias.alias}@kauke.test`)).last).toMatch(/^250 /);
  await hook.waitForRequests(2);
  await vi.waitFor(async () => expect(await openDeliveries(system)).toBe(0));
  const ids = hook.requests.map((request) => request.headers["webhook-id"]);
  expect(ids[0]).toBe(ids[1]);
  expect(hook.requests[0]?.headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
});

test("a webhook on a private address is never called; the owner is notified", async () => {
  const { hook, person, send } = await setUp({ KAUKE_WEBHOOK_ALLOW: "hooks.example" });
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example, ${hook.url}` });
  expect((await send(`${alias.alias}@kauke.test`)).last).toMatch(/^250 /);
  expect(hook.requests).toEqual([]);
  expect((await person.notices())[0]?.text).toContain("private or local network address");
});

test("people in the header become reply addresses, and no address of theirs or ours remains that an answer could go to", async () => {
  const { mx, person, send } = await setUp();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias.alias}@kauke.test`;
  const fields = [
    "From: Ann Example <ann@example.org>",
    `To: ${address}, Rasa <rasa@example.org>`,
    "Cc: team@example.org",
    "Reply-To: desk@example.org",
    "Disposition-Notification-To: ann@example.org",
    "List-Unsubscribe: <https://example.org/u>, <mailto:leave@example.org>",
    "Subject: hi",
  ];
  await send(address, { message: `${fields.join("\r\n")}\r\n\r\nbody\r\n` });
  const header = String(mx.messages[0]?.bytes).split("\r\n\r\n", 1)[0] as string;
  const reply = "r(?:-[a-z2-7]{5}){4}@kauke\\.test";
  expect(header).toMatch(new RegExp(`From: "?Ann Example \\(ann at example\\.org\\)"?\\s+<${reply}>`));
  expect(header).toMatch(new RegExp(`Reply-To:[^]*?<${reply}>`));
  expect(header).toContain(address);
  expect(header).toContain("https://example.org/u");
  expect(header.replace(/^Return-Path.*$/m, "")).not.toMatch(/@example\.org/);
});
