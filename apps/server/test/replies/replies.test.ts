/**
 * Answers from the owner's inbox: sent as the alias, threads intact, without a trace of the mailbox behind it;
 * strangers refused.
 */

import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { fieldOf } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test, vi } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });
const { mx, system, person } = await setUpForwarding({
  dns,
  env: { KAUKE_SPOOL_ACCOUNT_MIB: "1" },
  mx: {
    answer: ({ stage, line }) => (stage === "rcpt" && line.includes("full@") ? "452 4.2.2 mailbox full" : undefined),
  },
});

beforeEach(() => mx.reset());

const replyOf = (field: string) => /r(?:-[a-z2-7]{5}){4}@kauke\.test/.exec(field)?.[0] as string;

/**
 * Ann writes to a new alias, with Bo in copy. @returns the alias' address, the reply addresses of Ann and Bo, and the
 * fields by which the owner's program will thread an answer
 */
async function received(forwardTo = "jonas@inbox.example") {
  const alias = await person.createAlias({ forwardTo });
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
  /** Content of the answer's To field; the recipients of the envelope by default. */
  named?: string;
  from?: string;
  header?: string[];
  body?: string;
}

function answer({ to, named = to.join(", "), from = "jonas@inbox.example", header = [], body = "my answer" }: Answer) {
  const fields = [
    `From: Jonas Real <${from}>`,
    `To: ${named}`,
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

test("a reply reaches the correspondent from the alias, in its thread, without a trace of the mailbox", async () => {
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

test("strangers, and destinations whose domain authenticates nothing, are refused and told what to do", async () => {
  const { ann } = await received();
  const refused = /^550 5\.7\.1 Only the alias' owner may write here/;
  expect((await answer({ to: [ann], from: "eve@sender.example" })).last).toMatch(refused);
  dns.zone["inbox.example"] = {};
  expect((await answer({ to: [ann] })).last).toMatch(refused);
  dns.zone["inbox.example"] = spf;
  expect(mx.messages).toEqual([]);
});

test.each([
  ["of a destination with a tag, from the mailbox without", "jonas+shop@inbox.example", "jonas@inbox.example"],
  ["of a destination with a tag, in another letter case", "jonas+shop@inbox.example", "Jonas+Shop@Inbox.example"],
  ["of Gmail, with any dots and tag", "jo.nas@gmail.com", "jonas+x@googlemail.com"],
])("an answer is the owner's %s", async (_, forwardTo, from) => {
  dns.zone["gmail.com"] = spf;
  dns.zone["googlemail.com"] = spf;
  const { ann, address } = await received(forwardTo);
  expect((await answer({ to: [ann], from })).last).toMatch(/^250 /);
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.envelopeFrom).toBe(address);
  expect(String(mail?.bytes)).not.toMatch(/jo\.?nas/i);
});

test.each([
  ["a tag that others could have registered as a name", "jonas@inbox.example", "jonas+eve@inbox.example"],
  ["another tag", "jonas+shop@inbox.example", "jonas+eve@inbox.example"],
  ["another name", "jonas+shop@inbox.example", "jonas2@inbox.example"],
  ["a name that is a tag only", "+shop@inbox.example", "+eve@inbox.example"],
  ["a name with other dots", "jo.nas@inbox.example", "jonas@inbox.example"],
  ["another domain", "jonas+shop@inbox.example", "jonas@sender.example"],
])("an answer is a stranger's with %s", async (_, forwardTo, from) => {
  const { ann } = await received(forwardTo);
  expect((await answer({ to: [ann], from })).last).toMatch(/^550 5\.7\.1 Only the alias' owner/);
});

test("the mailbox without a tag is authenticated like any other", async () => {
  const { ann } = await received("jonas+shop@inbox.example");
  dns.zone["inbox.example"] = {};
  try {
    expect((await answer({ to: [ann] })).last).toMatch(/^550 5\.7\.1 Only the alias' owner/);
  } finally {
    dns.zone["inbox.example"] = spf;
  }
});

test("a forged reply address, one at another domain and one of a deleted alias are unknown", async () => {
  const { ann, address } = await received();
  const to = [`r.${"a".repeat(20)}@kauke.test`, ann.replace("kauke.test", "vejas.test")];
  const { replies } = await answer({ to });
  expect(replies.slice(1)).toEqual(["550 5.1.1 No such address here", "550 5.1.1 No such address here"]);
  const alias = (await person.listAliases()).find((it) => `${it.alias}@${it.domain}` === address);
  await person.call("DELETE", `/api/aliases/${alias?.id}`);
  expect((await answer({ to: [ann] })).last).toBe("550 5.1.1 No such address here");
});

test.each([
  ["plain text", "write to jonas@inbox.example"],
  ["another case", "JONAS@Inbox.Example"],
  ["an encoded link", '<a href="mailto:jonas%40inbox.example">me</a>'],
  ["hexadecimal digits", `https://t.example/${Buffer.from("jonas@inbox.example").toString("hex")}`],
])("a reply that contains the real address as %s is refused", async (_, body) => {
  const { ann } = await received();
  const html = body.startsWith("<") ? ["MIME-Version: 1.0", "Content-Type: text/html"] : [];
  expect((await answer({ to: [ann], body, header: html })).last).toMatch(/^550 5\.7\.1 Your message holds the address/);
  expect(mx.messages).toEqual([]);
});

test("a reply that names people by their real addresses is refused", async () => {
  const { ann } = await received();
  const { last } = await answer({ to: [ann], header: ["Cc: carl@other.example"] });
  expect(last).toMatch(/^550 5\.7\.1 Your message also names people/);
});

test("the owner may start a thread with a reply address, any number of times", async () => {
  const { ann } = await received();
  await answer({ to: [ann], body: "first" });
  await answer({ to: [ann], body: "second" });
  const mails = await mx.waitForMessages(2);
  expect(mails.map((mail) => String(mail.bytes).trimEnd().split("\r\n").at(-1)).sort()).toEqual(["first", "second"]);
});

test("the owner's answer is deferred while authentication is inconclusive", async () => {
  const { ann } = await received();
  try {
    dns.zone["inbox.example"] = { fails: true };
    expect((await answer({ to: [ann] })).last).toMatch(/^451 4\.7\.0 /);
    // An answer from another address than the owner's is rejected at once: authentication would not change that.
    const stranger = await answer({ to: [ann], from: "eve@evil.example" });
    expect(stranger.last).toMatch(/^550 5\.7\.1 /);
    dns.zone["inbox.example"] = { txt: ["v=spf1 -all"] };
    expect((await answer({ to: [ann] })).last).toMatch(/^550 5\.7\.1 /);
  } finally {
    dns.zone["inbox.example"] = spf;
  }
  expect(mx.messages).toEqual([]);
  expect((await answer({ to: [ann] })).last).toMatch(/^250 /);
  await mx.waitForMessages(1);
});

test("an answer to people behind two aliases that the leak guard refuses for one of them is sent for neither", async () => {
  const first = await received();
  const second = await received("jonas@inbox.example, jonas.second@inbox.example");
  const both = { to: [first.ann, second.ann], named: "undisclosed-recipients:;" };
  const refused = await answer({ ...both, body: "or write to jonas.second@inbox.example" });
  expect(refused.last).toMatch(/^550 5\.7\.1 Your message holds the address/);
  expect((await answer({ ...both, body: "both of you" })).last).toMatch(/^250 /);
  const sent = await mx.waitForMessages(2);
  expect(sent.map(({ bytes }) => String(bytes).includes("both of you"))).toEqual([true, true]);
});

test("an answer is sent once, though the message is also to an alias that can't accept it yet", async () => {
  const { ann } = await received();
  const other = await (await registerPerson(system.url)).createAlias({ forwardTo: "full@inbox.example" });
  const to = [ann, `${other.alias}@kauke.test`];
  const named = "undisclosed-recipients:;";
  const large = (kib: number) => `${"x".repeat(62)}\r\n`.repeat(kib * 16);
  // The message takes 300 KiB of the 512 KiB that undelivered mail of one alias may take.
  expect((await answer({ to: to.slice(1), named, body: large(300) })).last).toMatch(/^250 /);
  expect((await answer({ to, named, body: `both ${large(300)}` })).last).toMatch(/^452 /);
  expect((await answer({ to, named, body: `both ${large(100)}` })).last).toMatch(/^250 /);
  await vi.waitFor(() => expect(mx.messages.some(({ rcptTo }) => rcptTo.includes("ann@sender.example"))).toBe(true));
  await answer({ to: [ann], body: "last" });
  await vi.waitFor(() => expect(mx.messages.some(({ bytes }) => String(bytes).includes("\r\nlast"))).toBe(true));
  expect(mx.messages.filter(({ rcptTo }) => rcptTo.includes("ann@sender.example"))).toHaveLength(2);
});
