import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeEncodedWords, encodeWords } from "../header/encoded-word.ts";
import { fieldValue, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { ADDRESSES_MAX, type Mailbox, parseAddressList, readAddressList } from "./address-list.ts";
import { formatAddressField, formatMailbox } from "./format-address.ts";

interface Row {
  why: string;
  value: string;
  mailboxes: [string | null, string][];
  unread?: number;
}

const rows: Row[] = JSON.parse(
  readFileSync(new URL("../../../../test-vectors/address-lists/read.json", import.meta.url), "utf8"),
);

describe("an address list", () => {
  it.each(rows)("$why: $value", ({ value, mailboxes, unread = 0 }) => {
    const list = readAddressList(value);
    expect(list.mailboxes.map(({ name, address }) => [name, address])).toEqual(mailboxes);
    expect(list).toMatchObject({ unreadCount: unread, isCut: false });
  });

  it("is cut off after the maximum number of entries, and says so", () => {
    const list = readAddressList("a@example.org,".repeat(ADDRESSES_MAX + 1));
    expect(list).toMatchObject({ isCut: true, cutCount: 1, unreadCount: 0 });
    expect(list.mailboxes).toHaveLength(ADDRESSES_MAX);
    expect(readAddressList("x,".repeat(ADDRESSES_MAX))).toMatchObject({ isCut: false, unreadCount: ADDRESSES_MAX });
  });

  it("never throws, and returns only addresses that can be written again", () => {
    const pieces = fc.constantFrom(...'<>@,;:."\\()[] \t'.split(""), "a", "b.c", "é", "=?utf-8?q?", "?=", "\r\n", "\0");
    const soup = fc.array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 40 });
    fc.assert(
      fc.property(soup, (parts) => {
        for (const mailbox of parseAddressList(parts.join(""))) {
          expect(mailbox.name ?? "").not.toMatch(/\p{Cc}/u);
          expect(parseAddressList(formatMailbox(mailbox))[0]?.address).toBe(mailbox.address);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 120 }),
  fc.string({ unit: "grapheme", maxLength: 120 }),
  fc.constantFrom('a"b\\', "a\r\nBcc: x@y", "=?utf-8?Q?x?=", "Lee, Ann", "w".repeat(200), "a <b@c>", "(c)", ""),
);
const anyAddress = fc.constantFrom(
  "ann@example.org",
  '"a, b"@example.org',
  "žuvis@pavyzdys.example",
  "ann@[192.0.2.1]",
);
const tidy = (name: string | null): string | null =>
  (name ?? "")
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim() || null;

describe("an address field", () => {
  it.each([
    [{ name: null, address: "ann@example.org" }, "ann@example.org"],
    [{ name: "Ann Lee", address: "ann@Example.ORG" }, "Ann Lee <ann@example.org>"],
    [{ name: "Lee, Ann", address: "ann@example.org" }, '"Lee, Ann" <ann@example.org>'],
    [{ name: 'A "B" \\', address: "ann@example.org" }, '"A \\"B\\" \\\\" <ann@example.org>'],
    [{ name: "Žuvis", address: "ann@example.org" }, "=?utf-8?B?xb11dmlz?= <ann@example.org>"],
  ])("writes %o as %s", (mailbox, text) => {
    expect(formatMailbox(mailbox)).toBe(text);
  });

  it("is one field of short lines that parses back to the same mailboxes", () => {
    const mailbox = fc.record({ name: fc.option(anyName), address: anyAddress });
    fc.assert(
      fc.property(fc.array(mailbox, { minLength: 1, maxLength: 5 }), (mailboxes: Mailbox[]) => {
        const bytes = Buffer.from(formatAddressField("Reply-To", mailboxes));
        const { fields, end } = readHeader(bytes);
        expect(fields.map(({ name }) => name)).toEqual(["reply-to"]);
        expect(end).toBe(bytes.length);
        const wanted = mailboxes.map(({ name, address }) => ({ name: tidy(name), address }));
        expect(fields.flatMap((field) => parseAddressList(fieldValue(bytes, field)))).toEqual(wanted);
        for (const line of bytes.toString().split("\r\n")) expect(line.length).toBeLessThanOrEqual(78);
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses an invalid address", () => {
    for (const address of ["", "ann", "ann@example.org\r\nBcc: x@y.example", "a b@example.org", "<ann@example.org>"])
      expect(() => formatAddressField("To", [{ name: null, address }])).toThrow(MailSyntaxError);
  });

  it("is empty without mailboxes", () => {
    expect(formatAddressField("To", [])).toBe("");
  });
});

describe("encoded words", () => {
  it("are ASCII, at most 75 characters each, and decode to the original text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), (text) => {
        const words = encodeWords(text);
        expect(words.every((word) => word.length <= 75 && /^[!-~]+$/.test(word))).toBe(true);
        expect(decodeEncodedWords(words.join("\r\n "))).toBe(text.toWellFormed().replace(/^\u{feff}/u, ""));
      }),
    );
  });

  it.each(["=?utf-8?Q?a b?=", "=?utf-8?X?a?=", "=?utf-8?B?%%?=", "=?utf-8?Q?a", "=??Q?a?="])(
    "%s is not an encoded word",
    (text) => {
      expect(decodeEncodedWords(text)).toBe(text);
    },
  );
});
