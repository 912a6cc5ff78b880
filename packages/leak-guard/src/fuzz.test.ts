/** Fuzz tests of the leak guard's decoders: on no input may they throw anything but `UnsearchableError`. */
import { deflateRawSync } from "node:zlib";
import { decodeTransfer } from "@kauke/mail-rfc";
import { leakCarriers } from "@kauke/testkit/programs/leak-carriers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mimeLeaves } from "./mime-leaves.ts";
import { decodeText, findUuencoded } from "./part-text.ts";
import { findLeak, searchMessage } from "./search-message.ts";
import { findBase64 } from "./unpack/encoded-runs.ts";
import { unpackPng } from "./unpack/unpack.ts";
import { UnpackBudget, UnsearchableError } from "./unpack/unpack-limits.ts";
import { unpackPdf } from "./unpack/unpack-pdf.ts";
import { unpackBer, unpackOpenPgp } from "./unpack/unpack-signatures.ts";
import { unpackRichText, unpackTnef } from "./unpack/unpack-tnef.ts";
import { unpackZip } from "./unpack/unpack-zip.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const numRuns = isLong ? 100_000 : 400;
const timeout = isLong ? 3_600_000 : 60_000;
const latin1 = (text: string) => Buffer.from(text, "latin1");
const owner = "jonas.real@inbox.example";
const budget = () => new UnpackBudget();

const zipHead = "PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x01\0\0\0a";
const rtfHead = "\x20\0\0\0\x40\0\0\0LZFu\0\0\0\0";
const mime = [
  "Content-Type: multipart/mixed; boundary=b\r\n",
  "\r\n",
  "--b\r\n",
  "--b--",
  "Content-Type: message/rfc822\r\n",
];
const transfer = [
  "Content-Transfer-Encoding: base64\r\n",
  "Content-Transfer-Encoding: quoted-printable\r\n",
  "=4",
  "=\r\n",
  "YQ==",
];

/** For each decoder, the byte sequences it reacts to and a function that reads all its output. */
const decoders: Record<string, { pieces: readonly string[]; read(bytes: Buffer): Iterable<unknown> }> = {
  "zip archives": {
    pieces: [
      zipHead,
      "PK\x01\x02",
      "PK\x07\x08",
      "PK\x03\x04",
      deflateRawSync("abc").toString("latin1"),
      "\xff\xff\xff\xff",
    ],
    read: unpackZip,
  },
  "PDF files": {
    pieces: [
      "%PDF-",
      "stream\r\n",
      "endstream",
      "/ASCII85Decode",
      "/AHx",
      "~>",
      "<41",
      "\\101",
      ")-2(",
      "z",
      "x\x9c",
      "!!!!!",
    ],
    read: unpackPdf,
  },
  "PNG pictures": {
    pieces: ["\0\0\0\x08zTXta\0\0x", "\0\0\0\x0aiTXta\0\x01\0", "\0", "\xff\xff\xff\xff"],
    read: unpackPng,
  },
  BER: {
    pieces: ["\x30\x80", "\x24\x80", "\x04\x01a", "\0\0", "\x30\x84\xff\xff\xff\xff", "\x1f", "\x04\x82"],
    read: unpackBer,
  },
  "OpenPGP packets": {
    pieces: ["\xcb\xe1", "\xc8\x02\x01", "\xa3\x01", "\xc2\xff\0\0", "\xe1aa", "\x99\x01"],
    read: unpackOpenPgp,
  },
  "winmail.dat": {
    pieces: ["x\x9f\x3e\x22\0\0", "\x01\x0f\x80\x06\0\x04\0\0\0", "\xff\xff\xff\xff", "aaaa\0\0"],
    read: unpackTnef,
  },
  "compressed rich text": {
    pieces: [rtfHead, "LZFu", "\xff", "\x10\xf3", "\0aaaaaaaa"],
    read: (bytes) => unpackRichText(bytes, budget()),
  },
  base64: {
    pieces: ["QUJDREVGR0hJSktMTU5P", "=", "\r\n", "\r\n> ", "-----BEGIN X-----", "_-_-_-_-_-_-_-_-_-_-"],
    read: (bytes) => findBase64(bytes.toString("latin1"), 12),
  },
  uuencode: {
    pieces: ["begin 644 x\n", "#86)C\n", "`\n", "end\n", "M", "\n"],
    read: (bytes) => findUuencoded(bytes.toString("latin1")),
  },
  "typed texts": {
    pieces: ["olga@owner.example", "&#64;", "%40", "&amp;", "<b>", "\xe2\x80\x8b", "=?utf-8?q?", "x", "@", "."],
    read(bytes) {
      const text = bytes.toString();
      return [findLeak({ text, html: text, headers: text, calendar: text }, ["olga@owner.example"]) ?? "none"];
    },
  },
  "parts of messages": { pieces: [...mime, ...transfer], read: (bytes) => mimeLeaves(bytes) },
  "transfer encodings and charsets": {
    pieces: [...transfer, "+AEA-", "\xff\xfe", "\xfe\xff", "=zz", "===="],
    read: (bytes) => [
      decodeTransfer(bytes, "base64"),
      decodeTransfer(bytes, "quoted-printable"),
      ...["utf-7", "utf-16", "iso-2022-jp", "x-nosuch"].map((charset) => decodeText(bytes, charset)),
    ],
  },
};

const bytesOf = (pieces: readonly string[]) =>
  fc
    .array(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary", maxLength: 8 })),
      { maxLength: 24 },
    )
    .map((all) => latin1(all.join("")));

function readSafely(read: () => Iterable<unknown>): void {
  try {
    for (const inner of read()) expect(inner).toBeDefined();
  } catch (thrown) {
    if (!(thrown instanceof UnsearchableError)) throw thrown;
  }
}

describe.each(Object.entries(decoders))("%s", (_, { pieces, read }) => {
  test("are decoded, or refused with an UnsearchableError, whatever bytes they contain", { timeout }, () => {
    fc.assert(
      fc.property(bytesOf(pieces), (bytes) => readSafely(() => read(bytes))),
      { numRuns },
    );
  });
});

test("whole messages are searched however damaged they are", { timeout }, async () => {
  const messages = leakCarriers.map((carrier) => {
    const { header, body } = carrier.make(owner);
    return latin1([...header, "", body].join("\r\n"));
  });
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...messages), damage, fc.nat(), async (message, changes, cut) => {
      const damaged = Buffer.from(message);
      for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
      const finding = await searchMessage(damaged.subarray(0, cut % 3 === 0 ? cut % damaged.length : undefined), [
        owner,
      ]);
      expect(["address", "too_deep", undefined]).toContain(finding?.leak);
    }),
    { numRuns: isLong ? 100_000 : 500 },
  );
});
