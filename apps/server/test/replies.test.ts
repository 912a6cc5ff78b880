/** Answers from the owner's inbox: out as the alias, threads intact, nothing of the mailbox behind it; strangers refused. */
import { createFakeDns } from "@kauke/testkit/fake-dns";
import { FakeMx } from "@kauke/testkit/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });
let mx: FakeMx;
let system: TestSystem;
let person: Person;

beforeAll(async () => {
  mx = await FakeMx.start();
  system = await startSystem({
    env: { KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`, KAUKE_AUTHENTICATION: "on", KAUKE_LIMITS: "off" },
    overrides: { resolver: dns },
  });
  person = await registerPerson(system.url);
});

afterAll(async () => {
  await system.close();
  await mx.close();
});

beforeEach(() => {
  mx.messages.length = 0;
});

const headerOf = (bytes: Buffer | undefined) =>
  String(bytes)
    .split("\r\n\r\n", 1)[0]
    ?.replace(/\r\n[ \t]/g, " ") as string;
const fieldOf = (bytes: Buffer | undefined, name: string) =>
  new RegExp(`^${name}: (.*)$`, "im").exec(headerOf(bytes))?.[1] as string;
const replyOf = (field: string) => /r\.[a-z2-7]{20}@kauke\.test/.exec(field)?.[0] as string;

/** Ann and Bo write to an alias of jonas@inbox.example; what arrived there. */
async function received() {
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias.alias}@kauke.test`;
  const fields = [
    "From: Ann <ann@sender.example>",
    `To: ${address}`,
    "Cc: Bo <bo@other.example>",
    "Subject: plans",
    "Message-ID: <orig.1@sender.example>",
  ];
  const message = `${fields.join("\r\n")}\r\n\r\nhello\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to: address, message });
  const { bytes } = (await mx.waitForMessages(1))[0] as { bytes: Buffer };
  mx.messages.length = 0;
  return {
    address,
    ann: replyOf(fieldOf(bytes, "From")),
    bo: replyOf(fieldOf(bytes, "Cc")),
    references: fieldOf(bytes, "References"),
    messageId: fieldOf(bytes, "Message-ID"),
  };
}

interface Answer {
  to: string[];
  from?: string;
  header?: string[];
  body?: string;
}

function answer({ to, from = "jonas@inbox.example", header = [], body = "my answer" }: Answer) {
  const fields = [
    `From: Jonas Real <${from}>`,
    `To: ${to.join(", ")}`,
    "Subject: Re: plans",
    "Date: Sat, 21 Nov 2026 12:00:00 +0200",
    "Message-ID: <mine.1@laptop.inbox.example>",
    "User-Agent: Thunderbird",
    "X-Originating-IP: [203.0.113.7]",
    "Received: from laptop.inbox.example by smtp.inbox.example; Sat, 21 Nov 2026 12:00:00 +0200",
    ...header,
  ];
  const message = `${fields.join("\r\n")}\r\n\r\n${body}\r\n`;
  return sendMail({ port: system.mxPort, from, to, message, helo: "laptop.inbox.example" });
}

test("a reply reaches the correspondent as coming from the alias, in its thread, with no trace of the mailbox", async () => {
  const { address, ann, references, messageId } = await received();
  const thread = [`In-Reply-To: ${messageId}`, `References: ${references ?? ""} ${messageId}`.replace(/\s+/g, " ")];
  expect((await answer({ to: [ann], header: thread })).last).toMatch(/^250 /);
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.rcptTo).toEqual(["ann@sender.example"]);
  expect(mail?.envelopeFrom).toBe(address);
  expect(fieldOf(mail?.bytes, "From")).toBe(address);
  expect(fieldOf(mail?.bytes, "To")).toContain("ann@sender.example");
  expect(fieldOf(mail?.bytes, "In-Reply-To")).toContain("<orig.1@sender.example>");
  expect(fieldOf(mail?.bytes, "Date")).toBe("Sat, 21 Nov 2026 10:00:00 +0000");
  expect(String(mail?.bytes)).toContain("my answer");
  for (const trace of [
    "jonas",
    "Jonas",
    "inbox.example",
    "laptop",
    "203.0.113.7",
    "Thunderbird",
    "+0200",
    "Received",
  ]) {
    expect(String(mail?.bytes)).not.toContain(trace);
  }
});

test("reply to all reaches everybody, each seeing the others by their real addresses and the owner by the alias", async () => {
  const { address, ann, bo } = await received();
  expect((await answer({ to: [ann, bo, address] })).last).toMatch(/^250 /);
  const mails = await mx.waitForMessages(2);
  expect(mails.map((mail) => mail.rcptTo[0]).sort()).toEqual(["ann@sender.example", "bo@other.example"]);
  expect(fieldOf(mails[0]?.bytes, "To")).toMatch(/ann@sender\.example.*bo@other\.example/);
  expect(await system.server.store.deliveries.count()).toBeLessThanOrEqual(2);
});

test("strangers, and destinations whose domain proves nothing, are refused with the way out", async () => {
  const { ann } = await received();
  const refused = /^550 5\.7\.1 Only the alias' owner may write here/;
  expect((await answer({ to: [ann], from: "eve@sender.example" })).last).toMatch(refused);
  dns.zone["inbox.example"] = {};
  expect((await answer({ to: [ann] })).last).toMatch(refused);
  dns.zone["inbox.example"] = spf;
  expect(mx.messages).toEqual([]);
});

test("a made-up reply address, one at another domain and one of a deleted alias are unknown", async () => {
  const { ann, address } = await received();
  const to = [`r.${"a".repeat(20)}@kauke.test`, ann.replace("kauke.test", "vejas.test")];
  const { replies } = await answer({ to });
  expect(replies.slice(1)).toEqual(["550 5.1.1 No such alias here", "550 5.1.1 No such alias here"]);
  const alias = (await person.listAliases()).find((it) => `${it.alias}@${it.domain}` === address);
  await person.call("DELETE", `/api/aliases/${alias?.id}`);
  expect((await answer({ to: [ann] })).last).toBe("550 5.1.1 No such alias here");
});

test.each([
  ["plain text", "write to jonas@inbox.example"],
  ["another case", "JONAS@Inbox.Example"],
  ["an encoded link", '<a href="mailto:jonas%40inbox.example">me</a>'],
])("a reply that holds the real address as %s is refused to its owner", async (_, body) => {
  const { ann } = await received();
  const html = body.startsWith("<") ? ["MIME-Version: 1.0", "Content-Type: text/html"] : [];
  expect((await answer({ to: [ann], body, header: html })).last).toMatch(/^550 5\.7\.1 Your message holds the address/);
  expect(mx.messages).toEqual([]);
});

test("people named by their real addresses stop the reply", async () => {
  const { ann } = await received();
  const { last } = await answer({ to: [ann], header: ["Cc: carl@other.example"] });
  expect(last).toMatch(/^550 5\.7\.1 Your message also names people/);
});

test("the owner may start a thread with a reply address, again and again", async () => {
  const { ann } = await received();
  await answer({ to: [ann], body: "first" });
  await answer({ to: [ann], body: "second" });
  const mails = await mx.waitForMessages(2);
  expect(mails.map((mail) => String(mail.bytes).trimEnd().split("\r\n").at(-1)).sort()).toEqual(["first", "second"]);
});
