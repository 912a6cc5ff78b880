import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddressList } from "../address/address-list.ts";
import { fieldValue, readHeader } from "../header/headers.ts";
import { type ComposedMessage, composeMessage } from "./compose-message.ts";

const whole = {
  from: "shop.k7@kauke.test",
  to: ["rasa@example.org"],
  subject: "Contract, second draft",
  text: "Hi Rasa,\n\nthe second draft is below.\n",
  at: new Date("2026-03-01T12:00:00.000Z"),
  messageId: "<mfrggzdfmztwq2lknnwg23tpoa@kauke.test>",
};
const compose = (change: Partial<ComposedMessage> = {}) => composeMessage({ ...whole, ...change });
const namesOf = (bytes: Buffer) => readHeader(bytes).fields.map((field) => field.name);
const fields = "date from to subject message-id mime-version content-type content-transfer-encoding".split(" ");

describe("a composed message", () => {
  it("has exactly these fields and bytes", () => {
    expect(compose().toString()).toBe(
      [
        "Date: Sun, 1 Mar 2026 12:00:00 +0000",
        "From: shop.k7@kauke.test",
        "To: rasa@example.org",
        "Subject: Contract, second draft",
        "Message-ID: <mfrggzdfmztwq2lknnwg23tpoa@kauke.test>",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 7bit",
        "",
        "Hi Rasa,",
        "",
        "the second draft is below.",
        "",
      ].join("\r\n"),
    );
  });

  it.each([
    ["plain ASCII", "hi", "7bit"],
    ["a few non-ASCII letters", "Labas rytas, ką veiki šiandien? Here is a longer sentence.", "quoted-printable"],
    ["a text in a non-Latin script", "Добрый день", "base64"],
    ["a line longer than allowed", "a".repeat(999), "quoted-printable"],
    ["the longest allowed line", "a".repeat(998), "7bit"],
    ["a NUL among ASCII", `${"a".repeat(50)}\0b`, "quoted-printable"],
  ])("%s", (_, text, encoding) => {
    const wire = compose({ text }).toString("latin1");
    expect(wire).toContain(`Content-Transfer-Encoding: ${encoding}\r\n`);
    expect(isAscii(wire)).toBe(true);
  });

  it.each([
    ["ą", "=C4=85"],
    ["a=b ą", "a=3Db =C4=85"],
    ["ą ", "=C4=85=20"],
    [`${"x".repeat(75)}ą`, `${"x".repeat(75)}=\r\n=C4=85`],
  ])("%j is quoted as %j", (text, quoted) => {
    const filler = "y".repeat(20);
    expect(compose({ text: `${text}\n${filler}` }).toString("latin1")).toContain(`\r\n\r\n${quoted}\r\n${filler}\r\n`);
  });

  it.each([
    ["short", "Subject: short\r\n"],
    ["Ačiū", "Subject: =?utf-8?B?QcSNacWr?=\r\n"],
    ["=?utf-8?B?QcSNacWr?=", "Subject: =?utf-8?B?PT91dGYtOD9CP1FjU05hY1dyPz0=?=\r\n"],
    [`${"word ".repeat(20)}end`, `Subject:${" word".repeat(13)}\r\n${" word".repeat(7)} end\r\n`],
    ["", "Subject: \r\n"],
  ])("the subject %j is written as %j", (subject, field) => {
    expect(compose({ subject }).toString("latin1")).toContain(`\r\n${field}`);
  });

  it("a subject can't inject a field, a body or an encoded word", () => {
    for (const subject of [
      "a\r\nBcc: eve@example.org",
      "a\nBcc: eve@example.org",
      "a\r\n\r\nbody",
      "a\u2028b\u0085c",
      "=?utf-8?Q?x?=",
    ]) {
      const bytes = compose({ subject });
      expect(namesOf(bytes)).toEqual(fields);
    }
  });

  it.each([
    [{ to: ["rasa@example.org\r\nBcc: eve@example.org"] }],
    [{ to: ["rasa@example.org>, <eve@example.org"] }],
    [{ cc: ["rasa@example.org, eve@example.org"] }],
    [{ from: "shop@kauke.test\nX: y" }],
    [{ messageId: "<a@b>\r\nX: y" }],
    [{ messageId: "no brackets" }],
  ])("an invalid address or identifier is refused: %o", (change) => {
    expect(() => compose(change)).toThrow(expect.objectContaining({ name: "MailSyntaxError" }));
  });

  it("an internationalized recipient is written unchanged (RFC 6532)", () => {
    expect(compose({ to: ["rūta@example.org"] }).toString()).toContain("\r\nTo: rūta@example.org\r\n");
  });

  it("names every recipient of To and Cc, folded", () => {
    const many = Array.from({ length: 50 }, (_, at) => `person.number.${at}@a-long-domain-name.example`);
    const bytes = compose({ to: many, cc: ["a@example.org", "b@example.org"] });
    const { fields: written } = readHeader(bytes);
    const valueOf = (name: string) => written.filter((one) => one.name === name).map((one) => fieldValue(bytes, one));
    expect(
      valueOf("to")
        .flatMap((text) => parseAddressList(text))
        .map(({ address }) => address),
    ).toEqual(many);
    expect(valueOf("cc")).toEqual(["a@example.org, b@example.org"]);
    expect(
      bytes
        .toString()
        .split("\r\n")
        .every((line) => line.length <= 78),
    ).toBe(true);
    expect(namesOf(compose({ cc: [] }))).toEqual(fields);
  });

  it("is one header block of these fields in short ASCII lines, whatever was typed", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
    );
    fc.assert(
      fc.property(anyText, anyText, (subject, text) => {
        const bytes = compose({ subject, text });
        const wire = bytes.toString("latin1");
        expect(namesOf(bytes)).toEqual(fields);
        expect(wire.endsWith("\r\n") && isAscii(wire)).toBe(true);
        expect(wire.split("\r\n").every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true);
        const header = wire.slice(0, wire.indexOf("\r\n\r\n"));
        expect(header.split("\r\n").every((line) => line.length <= 78)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

const isAscii = (text: string) => [...text].every((character) => character > "\0" && character < "\x80");
