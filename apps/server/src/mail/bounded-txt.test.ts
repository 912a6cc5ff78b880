/** Tests what callers get in place of TXT records that exceed the size limits. */
import { expect, test } from "vitest";
import { boundTxt, STS_RECORD_MAX, TXT_RECORD_MAX } from "./bounded-txt.ts";

const found = (...records: string[]) => ({ kind: "found", records }) as const;

test("a key longer than any real one counts as invalid", () => {
  const name = "s._domainkey.sender.example";
  expect(boundTxt(name, found("p=".padEnd(TXT_RECORD_MAX)))).toEqual(found("p=".padEnd(TXT_RECORD_MAX)));
  expect(boundTxt(name, found("p=".padEnd(TXT_RECORD_MAX + 1)))).toEqual(found(""));
});

test.each([
  ["_dmarc.sender.example", TXT_RECORD_MAX],
  ["_mta-sts.sender.example", STS_RECORD_MAX],
])("a record of %s of more than %i octets counts as a failed look-up", (name, max) => {
  expect(boundTxt(name, found("short", "v=".padEnd(max)))).toEqual(found("short", "v=".padEnd(max)));
  expect(boundTxt(name, found("short", "v=".padEnd(max + 1)))).toEqual({ kind: "failed" });
});

test("other answers are not changed", () => {
  const long = found("proof=".padEnd(10_000));
  expect(boundTxt("sender.example", long)).toBe(long);
  expect(boundTxt("_dmarc.sender.example", { kind: "no_name" })).toEqual({ kind: "no_name" });
});
