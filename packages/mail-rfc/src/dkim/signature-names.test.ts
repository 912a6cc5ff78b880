/** Which `s=` and `d=` a signature or seal may have: every octet at every place, and generated names. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isDnsName, readDnsName } from "../address/dns-name.ts";
import { arcKeyName, lastArcSigner, readArcChain } from "../arc/arc-chain.ts";
import { rawFields } from "../header/raw-fields.ts";
import { readSignatureField } from "./verify-signature.ts";

interface Place {
  selector: string;
  domain: string;
}

/** Reads the names from a DKIM signature. @param s selector, one character per byte */
function ofSignature(s: string, d: string): Place | null {
  const [field] = rawFields(`DKIM-Signature: v=1; a=rsa-sha256; d=${d}; s=${s}; h=from; bh=; b=\r\n`);
  const found = field === undefined ? null : readSignatureField(field);
  return found === null ? null : { selector: found.selector, domain: found.domain };
}

/** Reads the names from an ARC seal. */
function ofSeal(s: string, d: string): Place | null {
  const seal = `ARC-Seal: i=1; a=rsa-sha256; cv=none; d=${d}; s=${s}; b=`;
  const others = "ARC-Message-Signature: i=1; a=rsa-sha256\r\nARC-Authentication-Results: i=1; x";
  const chain = readArcChain(rawFields(`${seal}\r\n${others}\r\n`));
  if (chain === null || "problem" in chain) return null;
  const [set] = chain.sets;
  const found = set === undefined ? null : arcKeyName(set);
  if (found !== null) expect(lastArcSigner(chain.sets)).toBe(found.domain);
  return found;
}

const readers = [
  ["signature", ofSignature],
  ["seal", ofSeal],
] as const;

describe.each(readers)("every octet at every place of the names of a %s", (_, read) => {
  const name = "s1.a-b.example";
  const places = Array.from({ length: name.length + 1 }, (__, at) => at);
  // These end the tag, and the rest is another one.
  const octets = Array.from({ length: 256 }, (__, octet) => String.fromCharCode(octet)).filter((one) => one !== ";");

  /** The name that may be read: white space around the value does not belong to it. */
  const expectedOf = (text: string): string | null => {
    const value = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
    const isName = value.split(".").every((label) => /^[a-z0-9_-]{1,63}$/i.test(label));
    return isName ? value.toLowerCase() : null;
  };

  it.each(["s", "d"] as const)("%s=", (tag) => {
    let accepted = 0;
    for (const octet of octets) {
      for (const at of places) {
        const text = `${name.slice(0, at)}${octet}${name.slice(at)}`;
        const found = tag === "s" ? read(text, "a.example") : read("s1", text);
        const expected = expectedOf(text);
        expect([text, found === null ? null : tag === "s" ? found.selector : found.domain]).toEqual([text, expected]);
        if (expected !== null) accepted += 1;
      }
    }
    expect(accepted).toBeGreaterThan(60 * places.length);
  });
});

test("generated names are read as DNS names or not at all", () => {
  const piece = fc.constantFrom(
    "a",
    "B",
    "9",
    "-",
    "_",
    ".",
    "\0",
    "\\",
    "\r\n ",
    " ",
    "ü",
    "\u{ff0e}",
    "\u{3002}",
    "ß",
  );
  const odd = fc.oneof(
    piece,
    fc.integer({ min: 0, max: 255 }).map((one) => String.fromCharCode(one)),
  );
  const text = fc.array(fc.oneof({ arbitrary: piece, weight: 9 }, odd), { maxLength: 80 }).map((one) => one.join(""));
  const bytes = (value: string) => Buffer.from(value).toString("latin1");
  let count = 0;
  fc.assert(
    fc.property(text, text, (s, d) => {
      for (const [, read] of readers) {
        const found = read(bytes(s), bytes(d));
        if (found === null) continue;
        count += 1;
        for (const name of [found.selector, found.domain]) {
          expect(isDnsName(name)).toBe(true);
          expect(readDnsName(name)).toBe(name);
        }
      }
    }),
    { numRuns: 2000 },
  );
  expect(count).toBeGreaterThan(0);
});

test("names are read as A-labels in lower case, whichever way they are written", () => {
  const label = "x".repeat(63);
  const longest = `${label}.${label}.${label}.${"x".repeat(61)}`;
  expect(readDnsName("Bücher.Example")).toBe("xn--bcher-kva.example");
  expect(readDnsName("bu\u{308}cher.example")).toBe("xn--bcher-kva.example");
  expect(readDnsName(longest)).toBe(longest);
  for (const text of [
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    `${longest}x`,
    `${label}x.b`,
    "ü".repeat(64),
    "a\u{fffd}.b",
    "a\u{3002}b",
    "a\u{ff0e}b",
    "a\u{ff61}b",
    "a b",
    "a\n",
  ])
    expect([text, readDnsName(text)]).toEqual([text, null]);
});
