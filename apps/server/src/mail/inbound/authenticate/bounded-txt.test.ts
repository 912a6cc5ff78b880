/** Tests what callers get in place of TXT records that exceed the size limits. */
import { expect, test } from "vitest";
import { boundTxt, TXT_RECORD_MAX } from "./bounded-txt.ts";

const found = (...records: string[]) => ({ kind: "found", records }) as const;

test("a key longer than any real one counts as invalid", () => {
  const name = "s._domainkey.sender.example";
  expect(boundTxt(name, found("p=".padEnd(TXT_RECORD_MAX)))).toEqual(found("p=".padEnd(TXT_RECORD_MAX)));
  expect(boundTxt(name, found("p=".padEnd(TXT_RECORD_MAX + 1)))).toEqual(found(""));
});

test("a DMARC record that is too long counts as a failed look-up", () => {
  const name = "_dmarc.sender.example";
  const longest = found("short", "v=".padEnd(TXT_RECORD_MAX));
  expect(boundTxt(name, longest)).toEqual(longest);
  expect(boundTxt(name, found("short", "v=".padEnd(TXT_RECORD_MAX + 1)))).toEqual({ kind: "failed" });
});

test("other answers are not changed", () => {
  const long = found("proof=".padEnd(10_000));
  expect(boundTxt("sender.example", long)).toBe(long);
  expect(boundTxt("_dmarc.sender.example", { kind: "no_name" })).toEqual({ kind: "no_name" });
});
