/** Laws of the header of a copy, whatever a sender wrote, as a reader that only knows the standard sees it. */
import { createHash } from "node:crypto";
import { readHeader, unstuff, withHeaderLineEnds, withStuffedHeader } from "@kauke/mail-rfc";
import { rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RewriteRules, rewrite } from "./rewrite.ts";

const rules: RewriteRules = {
  mailHost: "mx.kauke.test",
  domains: new Set(["kauke.test"]),
  srsHash: (data) => createHash("sha256").update(data).digest(),
};

/** @param wire dot-stuffed @returns the copy as its reader gets it, and the names of the fields that we mean it to have */
function copyOf(wire: Buffer): { text: string; names: string[] } {
  const { header, fields, rest } = rewrite(
    {
      messageId: "6a1f",
      envelope: {
        envelopeFrom: "ann@x.test",
        helo: "x.test",
        clientAddress: "192.0.2.1",
        protocol: "ESMTP",
        receivedAt: new Date(0),
        eightBit: false,
        smtpUtf8: false,
      },
      wire,
      header: readHeader(wire),
      aliasAddress: "shop@kauke.test",
      aliasId: "a",
      replyKey: Buffer.alloc(32, 7),
      mayNameSender: true,
    },
    rules,
  );
  const text = unstuff(Buffer.concat([header, rest])).toString("latin1");
  return { text, names: (fields ?? []).map(({ name }) => name) };
}

type Field = [name: string, value: string];

/** Reads a message line by line. @param lineEnd what ends a line to this reader */
function readLines(text: string, lineEnd: RegExp): { fields: Field[]; body: string[] } {
  const lines = text.split(lineEnd);
  const fields: Field[] = [];
  let at = 0;
  for (; at < lines.length; at++) {
    const line = lines[at] as string;
    const last = fields.at(-1);
    const [, name, value = ""] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (last !== undefined && /^[ \t]/.test(line)) last[1] += line;
    else if (name !== undefined) fields.push([name.toLowerCase(), value]);
    else break;
  }
  return { fields, body: lines.slice(lines[at] === "" ? at + 1 : at) };
}
const strictly = (text: string) => readLines(text, /\r\n/);
/** As a person sees what the sender meant: a line feed ends a line, whatever carriage returns stand before it. */
const leniently = (text: string) => readLines(text, /\r{0,2}\n/);

/** Fields that a copy takes over byte for byte. */
const keptFields = (fields: readonly Field[]) =>
  fields.filter(([name]) => /^x-|^comments$/.test(name)).map(([name, value]) => [name, value.replace(/\r/g, " ")]);
/** The body without blank lines at its end, of which the copy of a message without a blank line may have one more. */
const textOf = (body: readonly string[]) => body.join("\n").replace(/\n+$/, "");

const end = fc.constantFrom("\r\n", "\n", "\r", "\r\r\n", "\n\n", "\r\n\r\n", "\n\r\n", "\r\n\n");
const names = ["From", "To", "Reply-To", "Subject", "Date", "Content-Type", "X-A", "x-b", "Comments"];
const title = fc.constantFrom(...names.map((name) => `${name}:`), "X-A :", "X-B\t:", "Subject :");
const value = fc.array(fc.constantFrom("a@b.test", "c", " ", "\t", ":", ".", "é", "\0", "\r", "X-C:", "<", ","), {
  maxLength: 5,
});
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(title, value).map(([name, words]) => `${name} ${words.join("")}`) },
  { weight: 2, arbitrary: value.map((words) => ` ${words.join("")}`) },
  value.map((words) => words.join("")),
);
const soup = fc.array(fc.constantFrom("\r", "\n", "\r\n", "X-A:", "X-B:", "Subject:", " ", "\t", ":", "a", ".", "é"), {
  maxLength: 40,
});
const message = fc.oneof(
  // Mostly the same line end, as programs write, with another one in some places.
  fc
    .tuple(end, fc.array(fc.tuple(line, fc.option(end, { freq: 6 })), { maxLength: 8 }))
    .map(([usual, lines]) => lines.flatMap(([text, other]) => [text, other ?? usual]).join("")),
  soup.map((pieces) => pieces.join("")),
);

test("a message with any mix of line ends is refused, or its copy shows all that the message shows, to every reader", () => {
  const seen = { refused: 0, changed: 0, kept: 0 };
  const law = fc.property(message, (text) => {
    // Whether a dot after a bare line feed was doubled cannot be known; smuggling.test.ts has lone ones.
    const sent = Buffer.from(`${text.replace(/(^|[\r\n])\.+/g, "$1")}\r\n`, "latin1");
    const wire = withHeaderLineEnds(sent);
    if (wire === null) {
      seen.refused++;
      return;
    }
    seen[wire === sent ? "kept" : "changed"]++;
    const copy = copyOf(withStuffedHeader(wire));
    const strict = strictly(copy.text);
    expect(strict.fields.map(([name]) => name)).toEqual(copy.names);
    expect(copy.text.split("\r\n\r\n", 1)[0]).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
    expect(leniently(copy.text).fields).toEqual(strict.fields);
    const meant = leniently(sent.toString("latin1"));
    expect(keptFields(strict.fields)).toEqual(keptFields(meant.fields));
    expect(textOf(leniently(copy.text).body)).toBe(textOf(meant.body));
  });
  fc.assert(law, { numRuns: rounds(500, 100_000) });
  // The control: each of the three outcomes is common.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(rounds(25, 5000));
});

/** Fields that may occur once: RFC 5322 §3.6, RFC 2045 §3 and its companions, RFC 2369 §3, RFC 2919, RFC 3834, RFC 8058. */
const onceOnly = [
  "Date From Sender Reply-To To Cc Bcc Message-ID In-Reply-To References Subject",
  "MIME-Version Content-Type Content-Transfer-Encoding Content-ID Content-Description Content-Disposition",
  "Content-Language Content-Location Content-MD5",
  "List-Id List-Help List-Unsubscribe List-Unsubscribe-Post List-Subscribe List-Post List-Owner List-Archive",
  "Auto-Submitted Return-Path",
].flatMap((names) => names.split(" "));

test("fields that may occur once leave at most once, the first of them, and others as often as they came", () => {
  const spelled = fc
    .record({
      name: fc.constantFrom(...onceOnly, "X-Mine", "Comments", "Received"),
      inCase: fc.constantFrom(
        (name: string) => name,
        (name: string) => name.toLowerCase(),
        (name: string) => name.toUpperCase(),
      ),
      blank: fc.constantFrom("", " ", "\t"),
      fold: fc.constantFrom("", "\r\n", "\r\n\t\r\n"),
      value: fc.constantFrom("a@b.test", "<m1@b.test>", "<https://b.test/u>", "<mailto:u@b.test>", "1.0", "", "x", "é"),
    })
    .map((field) => `${field.inCase(field.name)}${field.blank}:${field.fold} ${field.value}\r\n`);
  const law = fc.property(fc.array(spelled, { maxLength: 24 }), (fields) => {
    const sent = `${fields.join("")}\r\nbody\r\n`;
    const before = strictly(sent).fields;
    const after = strictly(copyOf(Buffer.from(sent, "utf8")).text).fields;
    const count = (all: readonly Field[], name: string) => all.filter(([it]) => it === name).length;
    for (const name of onceOnly.map((it) => it.toLowerCase()))
      expect([name, Math.max(1, count(after, name))]).toEqual([name, 1]);
    expect(count(after, "subject")).toBe(Math.min(1, count(before, "subject")));
    const subject = (all: readonly Field[]) => all.find(([name]) => name === "subject")?.[1];
    expect(subject(after)).toBe(subject(strictly(Buffer.from(sent).toString("latin1")).fields));
    for (const name of ["x-mine", "comments"]) expect(count(after, name)).toBe(count(before, name));
    expect(count(after, "received")).toBe(count(before, "received") + 1);
    for (const name of ["from", "date", "message-id"]) expect([name, count(after, name)]).toEqual([name, 1]);
  });
  fc.assert(law, { numRuns: rounds(300, 100_000) });
});
