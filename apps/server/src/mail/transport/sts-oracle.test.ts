/**
 * Compares what we read of MTA-STS announcements and policy files with mailauth in its strict mode, for generated
 * records and files, valid or not.
 */
import { listsStsHost, readStsId, readStsPolicy } from "@kauke/mail-rfc";
import { rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { parsePolicy, resolvePolicy, validateMx } from "mailauth/lib/mta-sts.js";
import { expect, test } from "vitest";

const RUNS = rounds(2000, 100_000);

const blank = fc.constantFrom("", "", " ", "\t", " \t ");
const oneOf = (...texts: string[]) => fc.constantFrom(...texts);

/** Joins the parts that generators make in this order. */
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(""));

const oddField = joined(
  oneOf("id", "id", "id", "x", "ID", "x-1", "-", ""),
  oneOf("=", "=", "=", "", " = "),
  oneOf("1", "20160831085700Z", "a".repeat(32), "a".repeat(33), "a-b", "", "a b", "a=b", "ž"),
);
const recordField = fc.oneof({ weight: 3, arbitrary: oneOf("id=1", "id=20160831085700Z", "x-1=a:b") }, oddField);
const record = joined(
  fc.oneof({ weight: 5, arbitrary: fc.constant("v=STSv1") }, oneOf("v=stsv1", "v=STSv2", " v=STSv1")),
  fc
    .array(joined(blank, oneOf(";", ";", ";", ";", ";;", ","), blank, recordField), { minLength: 1, maxLength: 3 })
    .map((it) => it.join("")),
  oneOf("", "", ";", " ; ", " ", "\n"),
);

const host = oneOf(
  "a.test",
  "mx.a.test",
  "*.a.test",
  "A.TEST",
  "b.mx.a.test",
  "*",
  "*.*.test",
  "a..test",
  "a.test.",
  "",
);
const policyField = fc.oneof(
  joined(oneOf("version", "version", "Version"), oneOf(":", ": ", " :"), oneOf("STSv1", "STSv1", "STSv2", "")),
  joined(oneOf("mode", "mode", " mode"), oneOf(":", ": "), oneOf("enforce", "testing", "none", "None", "enforce x")),
  joined(oneOf("max_age"), oneOf(":", ": "), oneOf("0", "86400", "31557600", "31557601", "-1", "1.5", "00000000001")),
  joined(oneOf("mx"), oneOf(":", ": "), blank, host),
  oneOf("x: y", "text", "", ":", "x_y.z: a: b"),
);
const line = joined(policyField, blank, oneOf("\n", "\r\n"));
const valid = oneOf("version: STSv1\n", "mode: enforce\r\n", "max_age: 86400\n", "mx: a.test\n", "mx: *.a.test\r\n");
const file = fc.array(fc.oneof({ weight: 3, arbitrary: valid }, line), { minLength: 3, maxLength: 9 });

test("generated announcements have the id that mailauth finds", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 2 }), async (texts) => {
      const resolver = async () => texts.map((text) => [text]) as unknown as string[];
      const expected = await resolvePolicy("a.test", { resolver, strict: true }).catch(() => false as const);
      if (expected !== false) found += 1;
      expect(readStsId(texts)).toBe(expected === false ? null : expected);
    }),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(RUNS / 20);
});

test("generated policy files are read as by mailauth, and list the same hosts", () => {
  const hosts = ["a.test", "mx.a.test", "b.mx.a.test", "A.TEST.", "other.test", ""];
  let read = 0;
  fc.assert(
    fc.property(file, (lines) => {
      const text = lines.join("");
      const ours = readStsPolicy(text);
      const theirs = theirPolicy(text);
      expect(ours && { mode: ours.mode, maxAge: ours.maxAgeSeconds }).toEqual(
        theirs && { mode: theirs.mode, maxAge: theirs.maxAge },
      );
      if (ours === null || theirs === null || ours.mode === "none") return;
      read += 1;
      expect(hosts.map((name) => listsStsHost(ours, name))).toEqual(
        hosts.map((name) => validateMx(name, theirs).valid),
      );
    }),
    { numRuns: RUNS },
  );
  expect(read).toBeGreaterThan(RUNS / 20);
});

function theirPolicy(text: string) {
  try {
    return parsePolicy(text, { strict: true });
  } catch {
    return null;
  }
}
