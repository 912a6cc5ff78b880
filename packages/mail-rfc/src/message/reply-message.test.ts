import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Mailbox, parseAddressList } from "../address/address-list.ts";
import { firstValue, readHeader } from "../header/headers.ts";
import { messageIdKeys, openMessageId } from "../header/message-id-map.ts";
import { type ReplyHeaderSource, rewriteReplyHeader } from "./reply-message.ts";

const people = new Map<string, Mailbox>([
  ["r.aaaaaaaaaaaaaaaaaaaa@kauke.test", { name: "Ann Lee", address: "ann@example.org" }],
  ["r.bbbbbbbbbbbbbbbbbbbb@kauke.test", { name: null, address: "bob@example.net" }],
]);
const messageIds = messageIdKeys(Buffer.alloc(32, 3), "kauke.test");

function rewrite(text: string, change: Partial<ReplyHeaderSource> = {}) {
  const header = Buffer.from(text, "utf8");
  const done = rewriteReplyHeader({
    header,
    fields: readHeader(header).fields,
    aliasAddress: "shop@kauke.test",
    aliasName: null,
    correspondentOf: (address) => people.get(address.toLowerCase()) ?? null,
    ownDomains: ["owner.example"],
    messageIds,
    newMessageId: "<new@kauke.test>",
    receivedAt: new Date("2026-03-01T12:00:00Z"),
    ...change,
  });
  const block = readHeader(done.header);
  return { ...done, text: done.header.toString("utf8"), names: block.fields.map(({ name }) => name), block };
}
const value = (done: ReturnType<typeof rewrite>, name: string) => firstValue(done.header, done.block.fields, name);

/** Header fields that mail programs and servers add, each containing something about the owner. */
const traces = readFileSync(new URL("../../../../test-vectors/reply-traces.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("# "));

describe("an outgoing reply", () => {
  const whole = [
    "From: Olga Owner <olga@owner.example>",
    "To: Somebody else <R.AAAAAAAAAAAAAAAAAAAA@kauke.test>, shop@kauke.test",
    "Cc: r.bbbbbbbbbbbbbbbbbbbb@kauke.test",
    "Subject: Re: your order",
    "Date: Sun, 1 Mar 2026 14:30:00 +0230 (Olga's zone)",
    "Message-ID: <note@laptop.owner.example>",
    "In-Reply-To: <first@laptop.owner.example>",
    "MIME-Version: 1.0",
    'Content-Type: text/plain;\r\n\tcharset="utf-8"',
    "Content-Transfer-Encoding: 8bit",
  ];
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join("");

  it("is from the alias to the correspondents, in UTC, with our own identifiers", () => {
    const done = rewrite(text(whole));
    expect(done.strangers).toEqual([]);
    expect(value(done, "from")).toBe("shop@kauke.test");
    expect(value(done, "to")).toBe("Ann Lee <ann@example.org>");
    expect(value(done, "cc")).toBe("bob@example.net");
    expect(value(done, "date")).toBe("Sun, 1 Mar 2026 12:00:00 +0000");
    expect(openMessageId(value(done, "message-id") ?? "", messageIds)).toBe("<note@laptop.owner.example>");
    expect(done.text).not.toMatch(/owner|olga|laptop/i);
    expect(done.text).toContain('Content-Type: text/plain;\r\n\tcharset="utf-8"\r\n');
    expect(done.names).toEqual(
      "from to cc date message-id in-reply-to subject mime-version content-type content-transfer-encoding".split(" "),
    );
  });

  it("carries the alias' name when it has one", () => {
    expect(value(rewrite(text(whole), { aliasName: "Kiosk, Vilnius" }), "from")).toBe(
      '"Kiosk, Vilnius" <shop@kauke.test>',
    );
  });

  it.each(traces)("drops %s", (line) => {
    const plain = rewrite(text(whole));
    const [name = ""] = line.split(":");
    const done = rewrite(text([line, ...whole, line]));
    const isReplaced = ["date", "from", "message-id", "references", "in-reply-to"].includes(name.toLowerCase());
    expect(done.text).not.toMatch(/owner|olga|laptop|192\.0\.2|\+0230|Thunderbird/i);
    if (!isReplaced) expect(done.text).toBe(plain.text);
  });

  it("reports addresses that are not reply addresses, and text that is not an address", () => {
    const done = rewrite(
      "To: eve@evil.example, r.cccccccccccccccccccc@kauke.test, ???\r\nCc: Eve <eve@evil.example>\r\n",
    );
    expect(done.strangers).toEqual(["eve@evil.example", "r.cccccccccccccccccccc@kauke.test"]);
    expect(done.hasUnreadable).toBe(true);
    expect(done.text).not.toContain("evil");
  });

  it.each([
    ["To: undisclosed-recipients:;", []],
    ["To: shop@kauke.test\r\nCc: r.bbbbbbbbbbbbbbbbbbbb@kauke.test", ["bob@example.net"]],
    ["Subject: without recipients", []],
  ])("without recipients in To still has a To field: %j", (header, cc) => {
    const done = rewrite(`${header}\r\n`);
    expect(value(done, "to")).toBe("undisclosed-recipients:;");
    expect(parseAddressList(value(done, "cc") ?? "").map(({ address }) => address)).toEqual(cc);
    expect([done.strangers, done.hasUnreadable]).toEqual([[], false]);
  });

  it("keeps another alias of the owner if the caller recognizes it", () => {
    const done = rewrite("To: News <news@kauke.test>\r\n", { isOwnAlias: (address) => address === "news@kauke.test" });
    expect(value(done, "to")).toBe("news@kauke.test");
    expect(done.strangers).toEqual([]);
  });

  it.each([
    ["", "Sun, 1 Mar 2026 12:00:00 +0000"],
    ["yesterday", "Sun, 1 Mar 2026 12:00:00 +0000"],
    ["Mon, 2 Mar 2026 01:00:00 +0300", "Sun, 1 Mar 2026 22:00:00 +0000"],
    ["2 Mar 26 01:00 EST", "Mon, 2 Mar 2026 06:00:00 +0000"],
    ["Mon, 2 Mar 99999 01:00:00 +0300", "Sun, 1 Mar 2026 12:00:00 +0000"],
  ])("the date %j leaves as %s", (date, wanted) => {
    expect(value(rewrite(`Date: ${date}\r\n`), "date")).toBe(wanted);
  });

  it("keeps Auto-Submitted without its parameters", () => {
    const done = rewrite('Auto-Submitted: Auto-Replied; owner-email="olga@owner.example"\r\n');
    expect(value(done, "auto-submitted")).toBe("auto-replied");
    expect(rewrite("Auto-Submitted: no\r\n").names).not.toContain("auto-submitted");
  });

  it("without a Message-ID gets the given one", () => {
    expect(value(rewrite("Subject: x\r\n"), "message-id")).toBe("<new@kauke.test>");
  });

  it("is one header with only these fields, whatever the owner's program wrote", () => {
    const allowed = [
      ...rewrite(text(whole)).names,
      "references",
      "auto-submitted",
      "content-disposition",
      "content-description",
    ];
    const name = fc.constantFrom(
      "From",
      "To",
      "Cc",
      "Date",
      "References",
      "Subject",
      "X-A",
      "Content-ID",
      "Content-Type",
    );
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom("a@x.example", "\n", "\r", "\r\n ", "<", ">", "\0"),
        fc.string({ unit: "binary", maxLength: 9 }),
      ),
      { maxLength: 15 },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, soup), { maxLength: 6 }), (fields) => {
        const done = rewrite(fields.map(([title, parts]) => `${title}: ${parts.join("")}\r\n`).join(""));
        expect(done.block.end).toBe(done.header.length);
        expect(done.names.filter((one) => !allowed.includes(one))).toEqual([]);
        expect(new Set(done.names).size).toBe(done.names.length);
        expect(done.header.toString("latin1")).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
      }),
      { numRuns: 1000 },
    );
  });
});
