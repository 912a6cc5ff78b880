import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBase32 } from "../base32.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { fieldValue, readHeader } from "./headers.ts";
import { findMessageIds, makeMessageId, parseMessageId } from "./message-id.ts";
import { formatDate, formatReceived, type ReceivedTrace } from "./trace-fields.ts";

describe("formatDate", () => {
  it.each([
    ["1970-01-01T00:00:00Z", "Thu, 1 Jan 1970 00:00:00 +0000"],
    ["2026-12-31T23:59:59.999Z", "Thu, 31 Dec 2026 23:59:59 +0000"],
    ["2024-02-29T05:06:07+02:00", "Thu, 29 Feb 2024 03:06:07 +0000"],
  ])("writes %s as %s", (iso, text) => {
    expect(formatDate(new Date(iso))).toBe(text);
  });

  it("is parsed back to the second", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true }), (date) => {
        expect(Date.parse(formatDate(date))).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
    );
  });
});

// Test vectors of RFC 4648 §10.
it.each([
  ["", ""],
  ["f", "my"],
  ["fo", "mzxq"],
  ["foo", "mzxw6"],
  ["foob", "mzxw6yq"],
  ["fooba", "mzxw6ytb"],
  ["foobar", "mzxw6ytboi"],
])("base32 of %j is %j", (text, encoded) => {
  expect(toBase32(Buffer.from(text))).toBe(encoded);
});

describe("message identifiers", () => {
  it("generated ones can be parsed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 40 }), (random) => {
        const id = makeMessageId(random, "Alias.test");
        expect(parseMessageId(id)).toEqual({ left: toBase32(random), right: "alias.test" });
        expect(findMessageIds(`x ${id}${id} y`)).toEqual(["x", id, id, "y"]);
      }),
    );
  });

  it.each([
    "",
    "a@b",
    "<a>",
    "<@b>",
    "<a@>",
    "<a@b",
    "<a b@c>",
    "<a@b>x",
    "<a@b@c>",
    "<a@b><c@d>",
    `<${"a".repeat(998)}@b>`,
  ])("refuses %j", (text) => {
    expect(() => parseMessageId(text)).toThrow(new MailSyntaxError("message_id_syntax"));
  });

  it.each([
    ["<a@b> <c.d$e@[192.0.2.1]>", ["<a@b>", "<c.d$e@[192.0.2.1]>"]],
    ["<a@b><c@d>", ["<a@b>", "<c@d>"]],
    ["1234567", ["1234567"]],
    ["ticket-7.host <2026.A> <a@b@c>", ["ticket-7.host", "<2026.A>", "<a@b@c>"]],
    ["< a@b > <c d@e>", ["< a@b >", "<c d@e>"]],
    ["<cut@ho <a@b> end@host>", ["<cut@ho", "<a@b>", "end@host>"]],
    ['Your message of "1 May" <a@b>', ["Your", "message", "of", '"1', 'May"', "<a@b>"]],
    ["<> < > > <", []],
  ])("are found as spelled in %j", (text, ids) => {
    expect(findMessageIds(text)).toEqual(ids);
  });

  it("are found up to the given maximum", () => {
    expect(findMessageIds("<a@b>".repeat(500), 7)).toHaveLength(7);
  });

  it("are searched in 64 KiB quickly", () => {
    for (const unit of ["<", "<a", "<a@", "<@", "<a@b>", ">", "a ", "< ", " "]) {
      const began = performance.now();
      findMessageIds(unit.repeat(65_536 / unit.length));
      expect(performance.now() - began, unit).toBeLessThan(500);
    }
  });
});

describe("formatReceived", () => {
  const trace: ReceivedTrace = {
    helo: "mx.example.org",
    clientAddress: "192.0.2.1",
    by: "mail.alias.test",
    protocol: "ESMTPS",
    id: "0d9c7a3e-5f1b",
    forAlias: "shop@alias.test",
    at: new Date("2026-03-01T12:00:00Z"),
  };

  it("names client, server, protocol, id, alias and time", () => {
    expect(formatReceived(trace)).toBe(
      "Received: from mx.example.org (unknown [192.0.2.1]) by mail.alias.test with\r\n" +
        "\tESMTPS id 0d9c7a3e-5f1b for <shop@alias.test>; Sun, 1 Mar 2026 12:00:00 +0000\r\n",
    );
  });

  it("leaves the alias out when there is none", () => {
    expect(formatReceived({ ...trace, forAlias: null })).toContain(" id 0d9c7a3e-5f1b; Sun,");
  });

  it("tags an IPv6 client and accepts an address literal as greeting", () => {
    const text = formatReceived({
      ...trace,
      helo: "[192.0.2.9]",
      clientAddress: "2001:db8::1",
      clientName: "c.example.org",
    });
    expect(text).toContain("from [192.0.2.9] (c.example.org [IPv6:2001:db8::1])");
  });

  it("shows a greeting that is not a name only inside the comment, escaped", () => {
    const text = formatReceived({ ...trace, helo: "my pc) by evil.test\r\nBcc: x@y.test (" });
    expect(text).toContain("from unknown (unknown [192.0.2.1]");
    expect(text).toContain("helo=my?pc\\)?by?evil.test??Bcc:?x@y.test?\\()");
  });

  it("is one field of lines no longer than 78 columns, whatever the client sends", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("a\r\nB: c", "(", "\\", ""),
    );
    fc.assert(
      fc.property(anything, anything, anything, anything, anything, (helo, clientAddress, clientName, id, forAlias) => {
        const text = formatReceived({ ...trace, helo, clientAddress, clientName, id: id.slice(0, 30), forAlias });
        const field = Buffer.from(text);
        const header = readHeader(field);
        expect(header.fields.map(({ name }) => name)).toEqual(["received"]);
        expect(header.end).toBe(field.length);
        expect(fieldValue(field, header.fields[0] ?? { name: "", start: 0, end: 0 })).not.toMatch(
          /[\0-\x08\x0a-\x1f\x7f]/,
        );
        for (const line of text.split("\r\n")) {
          const isOneWord = !line.trim().includes(" ");
          expect(line.length <= 78 || isOneWord).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
