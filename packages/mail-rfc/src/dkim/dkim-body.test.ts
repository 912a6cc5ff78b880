import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it, test } from "vitest";
import { canonicalBody, type DkimCanonicalization } from "./dkim-body.ts";
import { simpleBodyHash } from "./dkim-canonical.ts";

function read(body: Buffer, canonicalization: DkimCanonicalization): { text: string; isUnchanged: boolean } {
  const pieces: Buffer[] = [];
  const canonical = canonicalBody(body, canonicalization);
  let next = canonical.next();
  for (; !next.done; next = canonical.next()) pieces.push(next.value);
  return { text: Buffer.concat(pieces).toString("latin1"), isUnchanged: next.value };
}

const latin1 = (text: string) => Buffer.from(text, "latin1");

/** Reference implementation that follows RFC 6376 §3.4.3 and §3.4.4 literally. */
function asWritten(body: string, canonicalization: DkimCanonicalization): string {
  const lines = body.replace(/(?<!\r)\n/g, "\r\n").split("\r\n");
  const reduced = lines.map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  const chosen = canonicalization === "simple" ? lines : reduced;
  const text = chosen.slice(0, chosen.findLastIndex((line) => line !== "") + 1).join("\r\n");
  return text === "" && canonicalization === "relaxed" ? "" : `${text}\r\n`;
}

// Example of RFC 6376 §3.4.5.
test("the body of the example in RFC 6376 is canonicalized as shown there", () => {
  const body = latin1(" C \r\nD \t E\r\n\r\n\r\n");
  expect(read(body, "relaxed").text).toBe(" C\r\nD E\r\n");
  expect(read(body, "simple").text).toBe(" C \r\nD \t E\r\n");
});

it.each<[string, DkimCanonicalization, boolean]>([
  ["clean\r\n\r\n\r\n", "relaxed", true],
  ["two  spaces\r\n", "relaxed", false],
  ["two  spaces\r\n", "simple", true],
  ["bare\n", "simple", false],
  ["space at the end ", "relaxed", false],
])("%j with %s canonicalization: left unchanged is %s", (text, canonicalization, isUnchanged) => {
  expect(read(latin1(text), canonicalization).isUnchanged).toBe(isUnchanged);
});

it.each(["", "a", "a\n", "a\r\n", "\r", "a\r"])("any number of empty lines after %j is not hashed", (text) => {
  for (const count of [0, 1, 2, 16_383, 16_384, 16_385, 32_768, 32_769, 50_000]) {
    const body = `${text}${"\r\n".repeat(count)}`;
    const hash = createHash("sha256").update(asWritten(body, "simple"), "latin1").digest();
    // `canonicalBody` treats a bare LF as a line end, `simpleBodyHash` does not.
    if (!text.endsWith("\n") || text.endsWith("\r\n")) expect(simpleBodyHash(latin1(body))).toEqual(hash);
    else
      expect(simpleBodyHash(latin1(body))).toEqual(
        createHash("sha256")
          .update(count === 0 ? text : "a\n\r\n")
          .digest(),
      );
    expect(read(latin1(body), "simple").text === asWritten(body, "simple")).toBe(true);
  }
});

test("a long line is yielded in chunks", () => {
  for (const character of ["x", " ", "\t", "\r", "\n"]) {
    const pieces = [...canonicalBody(latin1(`a${character.repeat(1_000_000)}b`), "relaxed")];
    const largest = Math.max(...pieces.map(({ length }) => length));
    expect(largest).toBeLessThan(200_000);
  }
});

test("any body is canonicalized correctly across the boundaries of windows", { timeout: 60_000 }, () => {
  const piece = fc.oneof(
    fc.constantFrom("\r\n", "\r\n\r\n", "\n", "\r", " ", "\t", " \r\n", "a", "é", ".", "\0"),
    fc.integer({ min: 65_530, max: 65_540 }).map((length) => "x".repeat(length)),
    fc.integer({ min: 32_766, max: 32_770 }).map((lines) => "\r\n".repeat(lines)),
    fc
      .tuple(fc.integer({ min: 65_534, max: 65_538 }), fc.constantFrom(" ", "\t", "\r", "\n"))
      .map(([n, character]) => character.repeat(n)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom("simple", "relaxed"), (pieces, canonicalization) => {
      const body = pieces.join("");
      expect(read(latin1(body), canonicalization).text === asWritten(body, canonicalization)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
