/** Compares our header parser with mailauth's own, and tests which signatures are not checked. */

import { headerLimits, rawFields } from "@kauke/mail-rfc";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { bounds } from "../../../limits/table.ts";
import { isReadableSignature, withinTotal } from "./check-signatures.ts";
import { libraryTools } from "./library-verdicts.testing.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");

test("our parser returns the same field names and bytes as mailauth, however fields are folded", () => {
  const pieces = [
    "A",
    "From",
    "B-c",
    ":",
    ": ",
    " ",
    "\t",
    "\r\n",
    "\r\n ",
    "\r\n\t",
    "\r\n\r\n",
    "\r",
    "\u{e9}",
    "\u{a0}",
    "\0",
    ".",
    ";",
  ];
  const header = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((all) => all.join(""));
  fc.assert(
    fc.property(header, (text) => {
      const { parsed } = libraryTools.parseHeaders(latin1(text));
      const theirs = parsed.map(({ key, line }) => ({ name: key ?? "", text: line.toString("latin1") }));
      expect(rawFields(text)).toEqual(theirs);
    }),
    { numRuns: 5000 },
  );
});

test("a header beyond the limits yields no fields, one at the limits yields all", () => {
  const fields = (count: number) => rawFields("A: b\r\n".repeat(count)).length;
  expect(fields(headerLimits.fieldsMax)).toBe(headerLimits.fieldsMax);
  expect(fields(headerLimits.fieldsMax + 1)).toBe(0);
  const bytes = (size: number) => rawFields(`A: ${"b".repeat(size - 3)}`).length;
  expect(bytes(headerLimits.bytesMax)).toBe(1);
  expect(bytes(headerLimits.bytesMax + 1)).toBe(0);
});

describe("a signature is checked", () => {
  const isShown = (line: string) => isReadableSignature({ name: "", text: line });
  const usual = "DKIM-Signature: v=1; a=rsa-sha256; d=sender.example; s=s1; h=from:to; bh=x; b=y";

  it("when it looks like real ones, with a comment of kilobytes and a hundred signed names", () => {
    expect(isShown(usual)).toBe(true);
    expect(isShown(`${usual}; z=${"From:a|".repeat(1000)}`)).toBe(true);
    expect(isShown(`${usual}; h=${"from:".repeat(99)}to`)).toBe(true);
    expect(isShown(`${usual};\r\n${" ".repeat(40)}z=From:a`)).toBe(true);
  });

  it.each([
    ["a domain", `${usual}; d=${"a.".repeat(200)}`],
    ["a selector, its name in capitals and folded", `${usual};\r\n S =${"é".repeat(400)}`],
    ["an identity", `${usual}; i=${"=41".repeat(200)}`],
    ["too many signed names", `${usual}; h=${"from:".repeat(250)}`],
    ["too many tags", `${usual}${";".repeat(200)}`],
    ["a run of blanks", `${usual}; n${" ".repeat(65)}=a`],
    ["a run of blanks and folds", `${usual}; n${"\r\n\t ".repeat(17)}=a`],
    ["too many bytes", `${usual}; z=${"a".repeat(20_000)}`],
  ])("but not with %s beyond the limit", (_, line) => {
    expect(isShown(line)).toBe(false);
  });
});

test("signatures are checked until their total size limit is reached", () => {
  const field = { name: "", text: "a".repeat(bounds.signatures.signaturesBytes / 4) };
  expect(withinTotal(Array(4).fill(field))).toHaveLength(4);
  expect(withinTotal(Array(9).fill(field))).toHaveLength(4);
});
