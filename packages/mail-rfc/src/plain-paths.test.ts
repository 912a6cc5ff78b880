/**
 * Inputs of the usual kind, plain ASCII, take shorter paths through the parsers and writers. Each is compared here with
 * the general way, which is either written again below or taken by the same function for an input with something
 * unusual in front.
 */
import { domainToASCII } from "node:url";
import { base32nopad } from "@scure/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asciiDomainOf,
  domainOf,
  isPlainCanonical,
  parseAddress,
  parsePath,
  parsePathArgument,
  readPlainAddress,
} from "./address/address.ts";
import { type Mailbox, readAddressList } from "./address/address-list.ts";
import { formatAddressField, shownName } from "./address/format-address.ts";
import { toBase32 } from "./base32.ts";
import { relaxedField, simpleBodyHash, simpleBodyHashOf } from "./dkim/dkim-canonical.ts";
import { canStandBare, encodeWords, oneLine } from "./header/encoded-word.ts";
import { foldedField, headerField, headerFieldOfLines } from "./header/header-field.ts";
import { fieldValue, type HeaderField, readHeader } from "./header/headers.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";

const runs = { numRuns: 3000 };
/** Texts of a few parts, so that those which a parser cares about meet often. */
const textOf = (parts: readonly string[], maxLength = 24) =>
  fc.array(fc.constantFrom(...parts), { maxLength }).map((chosen) => chosen.join(""));
const odd = [
  "\0",
  "\t",
  " ",
  "  ",
  "\u{7f}",
  "\u{85}",
  "\u{a0}",
  "\u{e9}",
  "\u{2028}",
  "\u{fffd}",
  "\u{202e}",
  "\u{1f600}",
];
const broken = ["\ud800", "\udc00"];

function outcomeOf<T>(read: () => T): T | string {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return thrown.reason;
    throw thrown;
  }
}

describe("addresses", () => {
  const parts = [
    "a",
    "B",
    "7",
    ".",
    "-",
    "_",
    "+",
    "@",
    "@",
    "x.org",
    '"',
    "\\",
    "<",
    ">",
    "[",
    "]",
    ":",
    "xn--",
    "postmaster",
  ];
  const label = fc.integer({ min: 61, max: 65 }).map((length) => "l".repeat(length));
  const long = fc
    .tuple(label, fc.array(label, { minLength: 1, maxLength: 4 }))
    .map(([local, labels]) => `${local}@${labels.join(".")}`);
  const address = fc.oneof(textOf([...parts, ...odd, ...broken]), long, fc.emailAddress());

  it("are parsed as behind a source route, which no plain address has", () => {
    fc.assert(
      fc.property(address, (text) => {
        fc.pre(
          text !== "" && !text.startsWith("@") && Buffer.byteLength(text) < 250 && text.toLowerCase() !== "postmaster",
        );
        expect(outcomeOf(() => parseAddress(text))).toEqual(outcomeOf(() => parsePath(`<@r:${text}>`)));
      }),
      runs,
    );
  });

  it("end in an SMTP argument where a pattern without shortcuts finds the closing bracket", () => {
    fc.assert(
      fc.property(textOf([...parts, " ", "SIZE=1"]), (text) => {
        const end = /^<(?:[^"<>\\]|"(?:[^"\\]|\\.)*")*>/su.exec(`<${text}`)?.[0].length ?? 0;
        const rest = `<${text}`.slice(end);
        const isSplit = end > 0 && (rest === "" || rest.startsWith(" "));
        const split = () => ({ path: parsePath(`<${text}`.slice(0, end)), parameters: rest.trim() });
        expect(outcomeOf(() => parsePathArgument(`<${text}`))).toEqual(isSplit ? outcomeOf(split) : "path_syntax");
      }),
      runs,
    );
  });

  it("have the ASCII domain that the platform writes", () => {
    const names = fc.oneof(
      textOf(["a", "Z", "0", "9", "x", "xn--", "-", "--", "_", ".", "%", "\u{e9}", "\u{3002}", "e"], 12),
      long,
    );
    fc.assert(
      fc.property(names, (name) => {
        const domain = domainOf(name);
        expect(asciiDomainOf(name)).toBe(domainToASCII(domain) || domain);
      }),
      runs,
    );
  });
});

describe("address lists", () => {
  const entries = [
    "ann@x.org",
    "Ann Lee ",
    '"Lee, A."',
    "<b@y.test>",
    "<",
    ">",
    ",",
    ";",
    ":",
    "(c)",
    "=?utf-8?q?a,b?=",
    "=?",
    "?=",
  ];
  const text = textOf([...entries, "@", "a", ".", '"', "\\", "[", "]", " ", "\t", "\r\n ", "\u{e9}", "\0"], 16);

  it("are parsed as in a group, which no plain list is", () => {
    fc.assert(
      fc.property(text, (list) => {
        expect(readAddressList(list)).toEqual(readAddressList(`g:${list}`));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([
    ["more names than the parser keeps", `${"a ".repeat(1200)}<ann@x.org>`],
    ["more entries than the parser keeps", "ann@x.org,".repeat(1001)],
    ["a comma at the end", "ann@x.org, "],
    ["empty entries", "ann@x.org,, Bob <b@y.test>"],
    ["a label that is too long", `ann@${"l".repeat(64)}.org, b@y.test`],
  ])("are parsed as in a group: %s", (_, list) => {
    expect(readAddressList(list)).toEqual(readAddressList(`g:${list}`));
  });
});

describe("header blocks", () => {
  const parts = [
    "To",
    "x",
    ":",
    " :",
    "\t",
    " ",
    "\r\n",
    "\r\n",
    "\r",
    "\n",
    "\r\n\r\n",
    "a: b\r\n",
    "\0",
    "\u{e9}",
    "\u{ff}",
  ];
  const limits = fc.record({
    bytesMax: fc.integer({ min: 1, max: 60 }),
    fieldsMax: fc.integer({ min: 1, max: 6 }),
    fieldBytesMax: fc.integer({ min: 4, max: 40 }),
    fieldLinesMax: fc.integer({ min: 1, max: 4 }),
  });

  it("are parsed as by a parser that looks at every line of the bytes", () => {
    fc.assert(
      fc.property(textOf(parts), limits, (text, given) => {
        const bytes = Buffer.from(text, "latin1");
        expect(outcomeOf(() => readHeader(bytes, given))).toEqual(outcomeOf(() => readByLines(bytes, given)));
      }),
      { numRuns: 10_000 },
    );
  });

  it("have the values that UTF-8 or Latin-1 gives", () => {
    fc.assert(
      fc.property(textOf([...parts, "\u{c3}\u{a9}", "\u{a0}", "word"]), (text) => {
        const bytes = Buffer.from(`x:${text}`, "latin1");
        for (const field of readHeader(bytes).fields) expect(fieldValue(bytes, field)).toBe(valueOf(bytes, field));
      }),
      runs,
    );
  });
});

/** `readHeader` without native searches over several lines. */
function readByLines(bytes: Buffer, limits: Parameters<typeof readHeader>[1] & object): ReturnType<typeof readHeader> {
  const head = bytes.subarray(0, limits.bytesMax);
  const isBlank = (within: Buffer, at: number) => within[at] === 0x0d && within[at + 1] === 0x0a;
  const fields: HeaderField[] = [];
  let [at, lines] = [0, 0];
  while (at < head.length && !isBlank(head, at)) {
    const found = head.indexOf("\r\n", at);
    if (found < 0 && head.length < bytes.length) throw new MailSyntaxError("header_too_large");
    const end = found < 0 ? head.length : found + 2;
    const last = fields.at(-1);
    lines++;
    if (last !== undefined && (head[at] === 0x20 || head[at] === 0x09)) last.end = end;
    else {
      const name = /^([!-9;-~]+)[ \t]*:/.exec(head.toString("latin1", at, end))?.[1]?.toLowerCase();
      if (name === undefined) break;
      lines = 1;
      if (fields.push({ name, start: at, end }) > limits.fieldsMax) throw new MailSyntaxError("header_too_many_fields");
    }
    const { start } = fields.at(-1) as HeaderField;
    if (end - start > limits.fieldBytesMax || lines > limits.fieldLinesMax)
      throw new MailSyntaxError("header_field_too_large");
    at = end;
  }
  if (at === head.length && at < bytes.length && !isBlank(bytes, at)) throw new MailSyntaxError("header_too_large");
  return { fields, end: at, isSeparated: isBlank(bytes, at) };
}

function valueOf(bytes: Buffer, { start, end }: HeaderField): string {
  const raw = bytes.subarray(bytes.indexOf(":", start) + 1, end);
  const utf8 = raw.toString("utf8");
  const text = utf8.includes("\u{fffd}") ? raw.toString("latin1") : utf8;
  return text
    .replace(/\r\n(?=[ \t])/g, "")
    .replace(/[\r\n\0]/g, " ")
    .trim();
}

describe("what is signed", () => {
  it("relaxes fields as the definition says (RFC 6376 §3.4.2)", () => {
    fc.assert(
      fc.property(textOf(["Name", " ", "  ", "\t", ":", "word", "\r\n ", "\r\n", "\r", "\n", "\u{e9}"]), (text) => {
        const colon = text.indexOf(":");
        const value = text
          .slice(colon + 1)
          .replace(/\r\n/g, "")
          .replace(/[ \t]+/g, " ")
          .replace(/^ | $/g, "");
        expect(relaxedField(text)).toBe(`${text.slice(0, colon).trimEnd().toLowerCase()}:${value}`);
      }),
      runs,
    );
  });

  it("hashes a body as in several chunks", () => {
    fc.assert(
      fc.property(textOf(["line", "\r\n", "\r\n", "\r", "\n", " "]), (text) => {
        const body = Buffer.from(text, "latin1");
        expect(simpleBodyHash(body)).toEqual(simpleBodyHashOf([Buffer.alloc(0), body]));
      }),
      runs,
    );
  });
});

const wordOf = (length: number) => "w".repeat(length);

/** Words of mailboxes between which a line may be folded. */
function piecesOf(mailboxes: readonly Mailbox[]): string[] {
  return mailboxes.flatMap(({ name, address }, index) => {
    const { canonical } = parseAddress(address);
    const line = oneLine(name ?? "");
    const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
    const isAtoms = new RegExp(`^${atom}(?: ${atom})*$`).test(line);
    const quoted = isAtoms ? line : `"${line.replace(/["\\]/g, "\\$&")}"`;
    const words = canStandBare(line) ? quoted.split(" ") : encodeWords(line);
    const own = line === "" ? [canonical] : [...words, `<${canonical}>`];
    return index === mailboxes.length - 1 ? own : [...own.slice(0, -1), `${own.at(-1)},`];
  });
}

describe("what is written", () => {
  const line = textOf(["a", "word", " ", "\t", "\r", "\n", "\u{7f}", "\u{e9}", "\u{2028}", "\u{1f600}", ...broken]);
  const longLine = fc.integer({ min: 990, max: 1000 }).map((length) => "x".repeat(length));

  it("refuses the lines of a field that the definition refuses", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(line, longLine), { minLength: 1, maxLength: 3 }), (lines) => {
        const written = lines.map((text, index) => (index === 0 ? `X: ${text}` : `\t${text}`));
        const isUnsafe = lines.some(
          (text, index) => /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text) || (index > 0 && /^ *$/.test(text)),
        );
        const isLong = written.some((text) => Buffer.byteLength(text) > 998);
        const outcome = outcomeOf(() => headerFieldOfLines("X", lines));
        if (!isUnsafe && !isLong) expect(outcome).toBe(`${written.join("\r\n")}\r\n`);
        else expect(["field_syntax", "field_line_too_long"]).toContain(outcome);
      }),
      runs,
    );
  });

  it("folds a text where words with one space between them are folded", () => {
    const word = fc.oneof(textOf(["a", "word", ",", "\u{e9}"], 12), fc.integer({ min: 60, max: 100 }).map(wordOf));
    const words = fc.array(
      word.map((text) => text || "a"),
      { maxLength: 30 },
    );
    const style = fc.record({ columns: fc.integer({ min: 5, max: 90 }), indent: fc.constantFrom(" ", "\t") });
    fc.assert(
      fc.property(words, style, (given, folds) => {
        const text = given.join(" ");
        expect(foldedField("Name", text, folds)).toBe(headerField("Name", given, folds));
      }),
      runs,
    );
  });

  it("writes mailboxes word by word, never splitting an address", () => {
    const name = fc.option(textOf(["a", "word", " ", '"', "\\", ",", "(", "\t", "\u{e9}", "=?", wordOf(61)]), {
      nil: null,
    });
    const address = fc.constantFrom(
      "ann@x.org",
      "Bob.Lee+tag@y.test",
      '"a b"@x.org',
      "j\u{f6}rg@x.org",
      "a@[192.0.2.1]",
    );
    const mailboxes = fc.array(fc.record({ name, address }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(mailboxes, (given) => {
        expect(formatAddressField("To", given)).toBe(headerField("To", piecesOf(given)));
      }),
      runs,
    );
  });

  it.each([
    "",
    "@x.org",
    "ann",
    "ann@",
    "ann@X.org",
    "a b@x.org",
    "ann@x.org>",
    `${wordOf(257)}@x.org`,
    "\u{e9}@x.org",
  ])("does not take %j for an address in canonical spelling", (text) => {
    expect(isPlainCanonical(text)).toBe(false);
  });

  it("takes for an address in canonical spelling only what the parser returns unchanged", () => {
    fc.assert(
      fc.property(textOf(["a", "B", "7", ".", "-", "_", "+", "@", "@", "x.org", '"', "[", wordOf(63)]), (text) => {
        const plain = outcomeOf(() => readPlainAddress(text));
        const isUnchanged = plain !== null && typeof plain !== "string" && plain.canonical === text;
        expect(isPlainCanonical(text)).toBe(isUnchanged);
      }),
      runs,
    );
  });

  it("puts a text on one line as the definition says", () => {
    fc.assert(
      fc.property(textOf(["a", "word", "\r\n", ...odd, ...broken]), (text) => {
        expect(oneLine(text)).toBe(
          text
            .toWellFormed()
            .replace(/[\s\p{Cc}]+/gu, " ")
            .trim(),
        );
      }),
      runs,
    );
  });

  it("shows a name as one with an invisible character, which is removed", () => {
    fc.assert(
      fc.property(textOf(["a", "word", "@", "\u{ff20}", ...odd], 60), (name) => {
        const address = "ann@x.org";
        const shown = shownName({ name, address, isVerified: true });
        expect(shown).toBe(shownName({ name: `\u{200b}${name}`, address, isVerified: true }));
        expect([...shown].length).toBeLessThanOrEqual(60 + " (ann at x.org)".length);
      }),
      runs,
    );
  });

  it("writes base32 as the library does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(toBase32(bytes)).toBe(base32nopad.encode(bytes).toLowerCase());
      }),
    );
  });
});
