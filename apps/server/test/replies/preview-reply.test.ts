/**
 * Reply and Reply all in the preview inbox: the mailbox' owner answers, authenticated, and the answer is sent as
 * written by the alias.
 */
import type { PreviewMessage, PreviewSummary } from "@kauke/contract";
import { MailTrace } from "@kauke/server/core/preview/preview-inbox";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

const owner = "jonas@inbox.example";
let system: TestSystem;
let person: Person;

beforeAll(async () => {
  system = await startSystem({ env: { KAUKE_DELIVERY: "preview", KAUKE_LIMITS: "off", KAUKE_AUTHENTICATION: "off" } });
  person = await registerPerson(system.url);
});
afterAll(() => system.close());
beforeEach(() => system.server.preview?.clear());

const withToken = () => ({ "x-preview-token": system.previewToken ?? "" });

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${system.url}/preview/api/messages${path}`, {
    method,
    headers: { ...withToken(), ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const list = async () => ((await call("GET", "")).body as { messages: PreviewSummary[] }).messages;

function arrived(rcptTo: string): Promise<PreviewMessage> {
  return vi.waitFor(
    async () => {
      const found = (await list()).find((it) => it.rcptTo === rcptTo);
      expect(found).toBeDefined();
      return (await call("GET", `/${found?.id}`)).body as PreviewMessage;
    },
    { timeout: 10_000, interval: 50 },
  );
}

const headerOf = (message: PreviewMessage, name: string) =>
  message.headers.find((it) => it.name.toLowerCase() === name)?.value;

/** Ann writes to an alias of the owner, with Bo in copy. @returns the message as the owner's mailbox received it */
async function received() {
  const alias = await person.createAlias({ forwardTo: owner });
  const address = `${alias.alias}@kauke.test`;
  const fields = [
    "From: Ann <ann@sender.example>",
    `To: ${address}`,
    "Cc: Bo <bo@other.example>",
    "Subject: =?utf-8?Q?caf=C3=A9?=",
    "Message-ID: <orig.1@sender.example>",
  ];
  const message = `${fields.join("\r\n")}\r\n\r\nhello\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to: address, message });
  return { address, message: await arrived(owner) };
}

test("a reply reaches the author from the alias, in the thread, and names nobody else", async () => {
  const { address, message } = await received();
  const answer = await call("POST", `/${message.id}/reply`, { text: "my answer\n.\nč", all: false });
  expect(answer).toEqual({ status: 200, body: { message: "Reply sent" } });
  const sent = await arrived("ann@sender.example");
  expect(sent).toMatchObject({ envelopeFrom: address, from: address, subject: "Re: café", text: "my answer\n.\nč\n" });
  expect(headerOf(sent, "in-reply-to")).toBe("<orig.1@sender.example>");
  expect(headerOf(sent, "cc")).toBeUndefined();
  const raw = await (await fetch(`${system.url}/preview/api/messages/${sent.id}/raw`, { headers: withToken() })).text();
  expect(raw).not.toContain("inbox.example");
  expect((await list()).map((it) => it.rcptTo).sort()).toEqual(["ann@sender.example", owner]);
});

test("a reply to all reaches everybody; the correspondent's answer comes back to the owner", async () => {
  const { address, message } = await received();
  expect((await call("POST", `/${message.id}/reply`, { text: "to all", all: true })).status).toBe(200);
  const sent = await arrived("bo@other.example");
  expect(`${headerOf(sent, "to")} ${headerOf(sent, "cc")}`).toMatch(/ann@sender\.example.*bo@other\.example/);
  await call("DELETE", "");
  const known = system.server.preview as NonNullable<TestSystem["server"]["preview"]>;
  known.add({ envelopeFrom: address, rcptTo: "bo@other.example", raw: Buffer.from(rawOf(sent)) });
  const [again] = await list();
  expect((await call("POST", `/${again?.id}/reply`, { text: "from Bo", all: true })).status).toBe(200);
  expect((await arrived("ann@sender.example")).from).toBe("bo@other.example");
  expect(await arrived(owner)).toMatchObject({ text: "from Bo\n" });
});

const rawOf = ({ headers }: PreviewMessage) =>
  `${headers.map(({ name, value }) => `${name}: ${value}`).join("\r\n")}\r\n\r\nto all\r\n`;

test("a reply from a mailbox that is no destination of the alias is refused, with the reason", async () => {
  const { message } = await received();
  const raw = Buffer.from(`From: ${headerOf(message, "from")}\r\n\r\nstolen\r\n`);
  system.server.preview?.add({ envelopeFrom: "x@y.example", rcptTo: "eve@elsewhere.example", raw });
  const [stolen] = await list();
  const answer = await call("POST", `/${stolen?.id}/reply`, { text: "let me in", all: false });
  expect(answer).toMatchObject({ status: 400, body: { code: "invalid" } });
  expect((answer.body as { message: string }).message).toMatch(/^Refused: Only the alias' owner may write here/);
});

test("a reply that contains the real address is refused by the leak guard", async () => {
  const { message } = await received();
  const answer = await call("POST", `/${message.id}/reply`, { text: `write to ${owner}`, all: false });
  expect(answer).toMatchObject({ status: 400 });
  expect((answer.body as { message: string }).message).toContain("Your message holds the address");
});

test("the leak guard lets it pass while switched off, and refuses it at once when switched on again", async () => {
  const { message } = await received();
  const answer = () => call("POST", `/${message.id}/reply`, { text: `write to ${owner}`, all: false });
  await person.call("PATCH", "/api/account/settings", { leakGuard: false });
  expect((await answer()).status).toBe(200);
  expect((await arrived("ann@sender.example")).text).toBe(`write to ${owner}\n`);
  await person.call("PATCH", "/api/account/settings", { leakGuard: true });
  expect((await answer()).status).toBe(400);
});

test("if the account chose so, the preview shows the alias in quoted lines, and the trace names the lines", async () => {
  const { address, message } = await received();
  const attribution = (name: string) => `On 23 Nov 2026, at 09:58, Jonas <${name}> wrote:`;
  const typed = `hello\n\n${attribution(owner)}\n> my letter`;
  const answer = () => call("POST", `/${message.id}/reply`, { text: typed, all: false });
  const refused = (await answer()).body as { message: string };
  expect(refused.message).toMatch(
    /\(part 1: text, line 3\)\. Take it out, or .* in Settings; .*'Alias in quoted lines' there\.$/,
  );
  await person.call("PATCH", "/api/account/settings", { aliasInQuotes: true });
  const added = vi.spyOn(MailTrace.prototype, "add");
  expect((await answer()).status).toBe(200);
  await person.call("PATCH", "/api/account/settings", { aliasInQuotes: false });
  expect((await arrived("ann@sender.example")).text).toBe(`hello\n\n${attribution(address)}\n> my letter\n`);
  expect(added.mock.calls.map(([, { detail }]) => detail)).toContain("alias in quoted lines: part 1: text, line 3");
  added.mockRestore();
});

test("an empty reply, a reply to a deleted message and one without recipients get different errors", async () => {
  const { message } = await received();
  const empty = await call("POST", `/${message.id}/reply`, { text: " ", all: false });
  expect(empty).toMatchObject({ status: 400, body: { errors: { text: ["Please write a reply"] } } });
  expect(await call("POST", "/gone/reply", { text: "hi", all: false })).toMatchObject({ status: 404 });
  system.server.preview?.add({ envelopeFrom: "", rcptTo: owner, raw: Buffer.from("Subject: no author\r\n\r\n") });
  const [nobody] = await list();
  const unanswerable = await call("POST", `/${nobody?.id}/reply`, { text: "hi", all: false });
  expect(unanswerable.body).toMatchObject({ message: "This message has nobody to reply to." });
});

test("through a proxy, or from another site, the request does not exist", async () => {
  const { message } = await received();
  const answer = (headers: Record<string, string>) =>
    call("POST", `/${message.id}/reply`, { text: "hi", all: false }, headers);
  expect((await answer({ "x-forwarded-for": "192.0.2.1" })).status).toBe(404);
  expect((await answer({ "sec-fetch-site": "cross-site", origin: "https://evil.example" })).status).toBe(403);
  expect((await list()).map((it) => it.rcptTo)).toEqual([owner]);
});
