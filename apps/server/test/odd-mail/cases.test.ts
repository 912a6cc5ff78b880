/**
 * Odd but real messages to an alias, byte for byte as programs wrote them (test-vectors/eml-odd): each arrives whole,
 * and is answered to the right people. Each has a control without what is odd in it.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { bodyOf } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { oddMessage, replyAddressesIn, valuesOf, withWrongHash } from "./case-files.testing.ts";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({
  "planner.example": spf,
  "_dmarc.planner.example": { txt: ["v=DMARC1; p=none"] },
  "mobile.example": spf,
  "_dmarc.mobile.example": { txt: ["v=DMARC1; p=reject"] },
  "lists.example": spf,
  "third.example": spf,
  "example.org": spf,
});
const { mx, hook, system, person } = await setUpForwarding({ dns });
const alias = "shop.k7@kauke.test";
const owner = "me@example.org";

beforeAll(async () => {
  await person.createAlias({ alias: "shop.k7", forwardTo: owner });
});
beforeEach(() => mx.reset());

const send = (from: string, to: string, message: Buffer | string) =>
  sendMail({ port: system.mxPort, from, to, message });

/** Sends a message to the alias. @returns the copy that the owner's mailbox got */
async function forwarded(from: string, message: Buffer): Promise<Buffer> {
  mx.reset();
  const { replies } = await send(from, alias, message);
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(["250", "250", "354", "250"]);
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.rcptTo).toEqual([owner]);
  return mail?.bytes as Buffer;
}

/** The owner answers a copy. @returns the recipient of the answer to each address of its Reply-To or From */
async function answered(copy: Buffer): Promise<string[]> {
  const [field = ""] = [...valuesOf(copy, "Reply-To"), ...valuesOf(copy, "From")];
  const recipients: string[] = [];
  for (const to of replyAddressesIn(field)) {
    mx.reset();
    const { last } = await send(owner, to, `From: ${owner}\r\nTo: ${to}\r\nSubject: Re: x\r\n\r\nanswer\r\n`);
    expect(last).toMatch(/^250 /);
    recipients.push(...((await mx.waitForMessages(1))[0]?.rcptTo ?? []));
  }
  return recipients;
}

const once = (copy: Buffer, ...names: string[]) => names.map((name) => [name, valuesOf(copy, name).length]);

describe("a camera whose lines end in line feeds", () => {
  const from = "camera@planner.example";
  const expectWhole = (copy: Buffer) => {
    expect(valuesOf(copy, "Subject")).toEqual(["Battery low"]);
    expect(valuesOf(copy, "Date")).toEqual(["Thu, 26 Nov 2026 10:00:00 +0000"]);
    expect(valuesOf(copy, "Message-ID")).toEqual(["<f03@planner.example>"]);
    expect(valuesOf(copy, "Authentication-Results").join()).toContain("dmarc=pass");
    expect(String(bodyOf(copy)).trimEnd()).toBe("The battery of your camera is low.");
  };

  test("arrives with its subject, date, id and text, as with CRLF", async () => {
    const message = oddMessage("line-feeds-only");
    expectWhole(await forwarded(from, message));
    const crlf = String(message).replace(/\r?\n/g, "\r\n");
    expectWhole(await forwarded(from, Buffer.from(crlf)));
  });

  test("is refused if they end in carriage returns alone, and nothing is sent", async () => {
    const message = oddMessage("carriage-returns-only");
    const { last } = await send(from, alias, message);
    expect(last).toBe("550 5.6.11 Lines must end in CRLF");
    expect(mx.messages).toEqual([]);
    const crlf = String(message).replace(/\r\n?/g, "\r\n").replace("f03c@", "f03@");
    expectWhole(await forwarded(from, Buffer.from(crlf)));
  });
});

describe("addresses that other hosts assign", () => {
  test.each([
    ["dots side by side", "taro..yamada@mobile.example", {}],
    ["one dot (control)", "taro.yamada@mobile.example", { "taro..yamada": "taro.yamada" }],
  ])("an author with %s gets the answer in this spelling", async (_, from, edits) => {
    const copy = await forwarded(from, oddMessage("dots-side-by-side", edits));
    expect(valuesOf(copy, "Authentication-Results").join()).toContain("dmarc=pass");
    expect(await answered(copy)).toEqual([from]);
  });

  test.each([
    "a-long-mailing-list-name-of-an-association-bounces+shop.k7=kauke.test@lists.example",
    "bounces@lists.example",
  ])("mail of the envelope sender %s arrives, and its bounces are taken", async (from) => {
    await forwarded(from, oddMessage("long-envelope-sender"));
    const bounceTo = mx.messages[0]?.envelopeFrom as string;
    expect(bounceTo.split("@")[0]?.length).toBeLessThanOrEqual(64);
    const report = `From: MAILER-DAEMON@example.org\r\nSubject: Undelivered\r\n\r\nNo such user\r\n`;
    expect((await send("", bounceTo, report)).last).toMatch(/^250 /);
    expect((await send("", withWrongHash(bounceTo), report)).last).toMatch(/^550 /);
  });

  const token = "+000c89caea14b0bf53caf17fd0c9c67fce378f51fd1af05492cf000000011292f3d892a169ce07601530";
  test.each([
    ["of 89 octets", `reply${token}@reply.planner.example`, {}],
    ["of 5 octets (control)", "reply@reply.planner.example", { [token]: "" }],
  ])("the answer goes to a Reply-To with a local part %s", async (_, replyTo, edits) => {
    const copy = await forwarded("notifications@planner.example", oddMessage("long-reply-to", edits));
    expect(valuesOf(copy, "Reply-To")).toHaveLength(1);
    expect(await answered(copy)).toEqual([replyTo]);
  });
});

describe("authors", () => {
  test.each([
    ["root (Cron Daemon)", /^"Unknown sender: root \(Cron Daemon\)" <no-reply@kauke\.test>$/],
    ["root <root@third.example>", /^"Unverified: root \(root at third\.example\)" <r-[a-z2-7-]+@kauke\.test>$/],
  ])("From: %s of the null sender has a mailbox in the copy", async (author, expected) => {
    const copy = await forwarded("", oddMessage("author-without-address", { "root (Cron Daemon)": author }));
    expect(valuesOf(copy, "From")).toEqual([expect.stringMatching(expected)]);
    expect(valuesOf(copy, "Subject")).toEqual(["Cron backup"]);
  });

  test("two authors are both answered", async () => {
    const two = await forwarded("ann@planner.example", oddMessage("two-authors"));
    expect(await answered(two)).toEqual(["ann@planner.example", "bob@planner.example"]);
    const one = oddMessage("two-authors", { ", Bob Roy <bob@planner.example>": "" });
    expect(await answered(await forwarded("ann@planner.example", one))).toEqual(["ann@planner.example"]);
  });

  test.each([
    ["info@planner.example <info@planner.example>", "info at planner.example"],
    ["Info <info@planner.example>", "Info (info at planner.example)"],
  ])("From: %s is shown as %s", async (author, shown) => {
    const edits = { "info@planner.example <info@planner.example>": author };
    const copy = await forwarded("info@planner.example", oddMessage("name-is-the-address", edits));
    expect(valuesOf(copy, "From")[0]?.replace(/"?([^"<]*)"? <.*$/, "$1")).toBe(shown);
  });
});

describe("fields", () => {
  const single = ["Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "From", "To"];

  test("that may stand once leave once, and the first one stays", async () => {
    const copy = await forwarded("ann@planner.example", oddMessage("fields-twice"));
    expect(once(copy, ...single)).toEqual(single.map((name) => [name, 1]));
    expect(valuesOf(copy, "Content-Type")).toEqual(["text/plain; charset=utf-8"]);
    expect(valuesOf(copy, "Message-ID")).toEqual(["<f07@planner.example>"]);
    const often = oddMessage("fields-twice", { "Subject: Order 1\r\nSubject: Order 1": "Comments: a\r\nComments: b" });
    expect(valuesOf(await forwarded("ann@planner.example", often), "Comments")).toEqual(["a", "b"]);
  });

  test("Date and Message-ID are added if they are missing, and kept if they are not", async () => {
    const without = ["Date", "Message-ID"].map((name) => [`${name}:`, `X-${name}-Was:`] as const);
    const bare = oddMessage("dots-side-by-side", Object.fromEntries(without));
    const copy = await forwarded("taro..yamada@mobile.example", bare);
    expect(valuesOf(copy, "Date")).toEqual([expect.stringMatching(/^\w{3}, \d+ \w{3} \d{4} [\d:]{8} \+0000$/)]);
    expect(valuesOf(copy, "Message-ID")).toEqual([expect.stringMatching(/^<[\da-f-]{36}@kauke\.test>$/)]);
    const control = await forwarded("taro..yamada@mobile.example", oddMessage("dots-side-by-side"));
    expect(valuesOf(control, "Date")).toEqual(["Thu, 26 Nov 2026 10:00:00 +0000"]);
    expect(valuesOf(control, "Message-ID")).toEqual(["<f04@planner.example>"]);
  });

  test("List-Unsubscribe-Post stays if its https link does, and goes without it", async () => {
    const copy = await forwarded("news@planner.example", oddMessage("long-unsubscribe-link"));
    const [link = ""] = valuesOf(copy, "List-Unsubscribe");
    expect(valuesOf(copy, "List-Unsubscribe-Post").length).toBe(link.includes("<https:") ? 1 : 0);
    expect(link).toMatch(/<(?:https|mailto):/);
    const short = oddMessage("long-unsubscribe-link", { [`${"a1B2".repeat(20)}`]: "" });
    const control = await forwarded("news@planner.example", short);
    expect(valuesOf(control, "List-Unsubscribe").join()).toContain("<https://click.planner.example/u/");
    expect(valuesOf(control, "List-Unsubscribe-Post")).toEqual(["List-Unsubscribe=One-Click"]);
  });

  const signatures = ["DKIM2-Signature", "Message-Instance", "DomainKey-Signature", "X-Google-DKIM-Signature"];
  const resent = ["Resent-From", "Resent-To", "Resent-Date", "Resent-Message-ID"];
  test.each([
    ["foreign-signatures", "ann@planner.example", signatures],
    ["resent-fields", "carl@third.example", resent],
  ])("%s: all of them go, and similar names stay", async (name, from, names) => {
    const copy = await forwarded(from, oddMessage(name));
    expect(once(copy, ...names)).toEqual(names.map((it) => [it, 0]));
    const renamed = Object.fromEntries(names.map((it) => [`${it}:`, `X-${it}-Was:`]));
    const control = await forwarded(from, oddMessage(name, renamed));
    expect(once(control, ...names.map((it) => `X-${it}-Was`)).map(([, count]) => count)).toEqual(names.map(() => 1));
  });
});

describe("many people in To", () => {
  /** The message to so many of its 140 members. */
  const toMembers = (count: number) =>
    Buffer.from(
      String(oddMessage("members-140")).replace(new RegExp(`,\\r\\n Member 0*${count + 1} [^]*?(?=\\r\\nSubject)`), ""),
    );
  async function expectAllAnswerable(count: number): Promise<void> {
    const copy = await forwarded("chair@planner.example", toMembers(count));
    const members = replyAddressesIn(valuesOf(copy, "To").join());
    expect(members).toHaveLength(count);
    mx.reset();
    const message = `From: ${owner}\r\nTo: ${members.at(-1)}\r\nSubject: Re: x\r\n\r\nanswer\r\n`;
    expect((await send(owner, members.at(-1) as string, message)).last).toMatch(/^250 /);
    const address = `member${String(count).padStart(3, "0")}@club.example`;
    expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual([address]);
  }
  test("3 of them are answerable", () => expectAllAnswerable(3));
  test("140 of them are answerable", () => expectAllAnswerable(140));
});

test("identifiers of a thread without brackets or @ stay, like others", async () => {
  const copy = await forwarded("bugs@planner.example", oddMessage("ticket-thread"));
  expect(valuesOf(copy, "In-Reply-To").join()).toContain("1234567");
  expect(valuesOf(copy, "Message-ID")).toEqual(["<20261126.GHIJ>"]);
  const references = valuesOf(copy, "References").join();
  for (const id of ["ticket-1234567.planner.example", "<20261126.ABCDEF>", "<a@b@planner.example>"])
    expect(references).toContain(id);
  expect(references).toContain("<ok.1@planner.example>");
});

describe("a message to a webhook", () => {
  beforeAll(async () => {
    await person.createAlias({ alias: "hook.a1", forwardTo: hook.url });
  });

  async function posted(message: Buffer): Promise<{ html: string; attachments: { content: string }[] }> {
    hook.reset();
    expect((await send("ann@planner.example", "hook.a1@kauke.test", message)).last).toMatch(/^250 /);
    const [call] = await hook.waitForRequests(1);
    return JSON.parse(String(call?.body)).data;
  }
  const expectPolish = async (message: Buffer) =>
    expect((await posted(message)).html.trim()).toBe("<p>Dzień dobry</p>");

  test("UTF-8 with its name is read", () => expectPolish(oddMessage("us-ascii-but-utf8", { "us-ascii": "utf-8" })));
  test("UTF-8 under the name of US-ASCII is read", () => expectPolish(oddMessage("us-ascii-but-utf8")));

  const attached = "From: x@x.example\r\nSubject: inner\r\n\r\nline one\r\nline two";
  const expectAttached = async (message: Buffer) => {
    const [file] = (await posted(message)).attachments;
    expect(Buffer.from(file?.content ?? "", "base64").toString()).toBe(attached);
  };
  test("an attached file in base64 keeps its bytes", () =>
    expectAttached(
      oddMessage("attached-message-7bit", {
        "message/rfc822; name=orig.eml": "application/octet-stream\r\nContent-Transfer-Encoding: base64",
        [attached]: Buffer.from(attached).toString("base64"),
      }),
    ));
  test("an attached message without transfer encoding keeps its bytes", () =>
    expectAttached(oddMessage("attached-message-7bit")));
});
