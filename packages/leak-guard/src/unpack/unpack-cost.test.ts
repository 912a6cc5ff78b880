/** Tests that the time of the leak guard's decoders grows linearly with their input. */

import { deflateSync } from "node:zlib";
import { growthOf } from "@kauke/mail-rfc/linear-cost.testing";
import { single } from "@kauke/testkit/programs/leak-carriers";
import { expect, test } from "vitest";
import { searchMessage } from "../search-message.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const timeout = isLong ? 3_600_000 : 60_000;
const latin1 = (text: string) => Buffer.from(text, "latin1");
const owner = "jonas.real@inbox.example";

const zipHead = "PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x01\0\0\0a";

/** Contents that fill an attachment: a head, followed by a unit that is repeated. */
const shapes: Record<string, readonly [head: string, unit: string]> = {
  "text of the owner's domain": ["", "x@inbox.example "],
  "addresses that almost match the mailbox": ["", `${owner}x `],
  "the start of the mailbox's local part with a plus": ["", "jonas.real+"],
  "percent signs": ["", "%41"],
  entities: ["", "&#64;"],
  "open markup": ["", "<"],
  "open comments": ["", "<!--"],
  folds: ["", "a\r\n "],
  quotes: ["", "\r\n> "],
  "encoded words": ["", "=?utf-8?q?a?= "],
  "starts of encoded words": ["", "=?"],
  escapes: ["", "\\u0040"],
  continuations: ["", ";a*1="],
  "quoted-printable": ["", "=41a"],
  "long words": ["", "abcdefghijklmnop "],
  "one long word": ["", "A"],
  padding: ["", "abcdefghijklmno="],
  "padding only": ["", "A="],
  "lines of base64": ["", "QUJDREVGR0hJSktMTU5P\r\n"],
  delimiters: ["", "--b\r\n"],
  headers: ["", "Content-Type: text/plain\r\n\r\n"],
  "empty zip members": [zipHead, "\0\0\0\xff\xff"],
  "zip headers without a size": [
    "",
    "PK\x03\x04\x14\0\x08\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff",
  ],
  "PDF streams": ["%PDF-1.4 \0\0", "stream\nx\x9c"],
  "closed PDF streams": ["%PDF-1.4 \0\0", "stream\n \nendstream\n"],
  "PDF escapes": ["%PDF-1.4 \0\0", "\\101"],
  "PDF hex strings": ["%PDF-1.4 \0\0", "<41424344>"],
  "PDF kerning": ["%PDF-1.4 \0\0", ")-1("],
  "PDF data in base 85": ["%PDF-1.4 /ASCII85Decode stream\n", "z!!!!!"],
  "nested BER": ["0\x80\x06\x01a", "0\x80"],
  "BER segments": ["0\x80\x06\x01a$\x80", "\x04\x04abcd"],
  "OpenPGP packets with partial lengths": ["\xcb", "\xe1aa"],
  "compressed OpenPGP packets": ["", "\xc8\x03\x02x\x9c"],
  "attributes of winmail.dat": [
    "x\x9f\x3e\x22\0\0",
    "\x01\x0f\x80\x06\0\x28\0\0\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0\0",
  ],
  "compressed rich text": ["\xff\xff\xff\0\xff\xff\xff\0LZFu\0\0\0\0", "\xff\x10\xf1\x20\xf1\x30\xf1\x40\xf1"],
  "chunks of a PNG": ["\x89PNG\r\n\x1a\n", "\0\0\0\x08zTXta\0\0x\x9caaa\0\0\0\0"],
  "a deflated zip member": [zipHead.replace("\x20\0\0\0", "\xff\xff\xff\xff"), deflateSync("").toString("latin1")],
  "UTF-16 of the owner's domain": ["\0", Buffer.from("x@inbox.example ", "utf16le").toString("latin1")],
};
const LARGEST_BYTES = isLong ? 12 * 1_048_576 : 2 * 1_048_576;

test.each(Object.entries(shapes))(
  "the cost of %s grows linearly with the size",
  { timeout },
  async (_, [head, unit]) => {
    const make = (size: number) => {
      const bytes = latin1(head + unit.repeat(Math.ceil(size / unit.length)));
      const html = { header: ["Content-Type: text/html"], body: bytes.toString("latin1") };
      return [single("application/octet-stream", bytes), html].map(({ header, body }) =>
        latin1([...header, "", body].join("\r\n")),
      );
    };
    const run = async (messages: Buffer[]) => {
      for (const message of messages) await searchMessage(message, [owner]);
    };
    expect(await growthOf({ make, run, largest: LARGEST_BYTES })).toBe("linear");
  },
);
