/** Compares our DMARC verdicts with mailauth's, for generated records, domain trees, and domains that passed. */
import { toALabels } from "@kauke/mail-rfc";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DmarcJudge } from "./author.ts";
import { answersOf, libraryDmarc, libraryTools, type TxtTable } from "./library-verdicts.testing.ts";

const names = [
  "example",
  "a.example",
  "b.a.example",
  "c.b.a.example",
  "other.example",
  "co.uk",
  "x.co.uk",
  "y.x.co.uk",
  "1.2.3.4.5.6.7.8.9.a.example",
  "5.6.7.8.9.a.example",
  "github.io",
  "me.github.io",
  "xn--bcher-kva.example",
];
const author = fc.constantFrom(
  ...names,
  "A.Example",
  "a.example.",
  "bücher.example",
  "[192.0.2.1]",
  "192.0.2.1",
  "a..example",
  "a b.example",
  "",
  "x".repeat(70),
  `${"y".repeat(64)}.a.example`,
);
const policy = fc.constantFrom("none", "quarantine", "reject", "REJECT", "odd", "");
const record = fc.oneof(
  {
    arbitrary: fc
      .record({
        p: fc.option(policy, { nil: undefined, freq: 8 }),
        sp: fc.option(policy, { nil: undefined, freq: 1 }),
        np: fc.option(policy, { nil: undefined, freq: 1 }),
        adkim: fc.constantFrom(undefined, undefined, "r", "s", "S", "x"),
        aspf: fc.constantFrom(undefined, undefined, "r", "s"),
        t: fc.constantFrom(undefined, undefined, undefined, "y", "n"),
        psd: fc.constantFrom(undefined, undefined, undefined, undefined, "y", "n", "u"),
        rua: fc.constantFrom(undefined, "mailto:a@b.example", "a@b.example", "mailto:a!10m", "x, https://r.example"),
        pct: fc.constantFrom(undefined, "10"),
      })
      .map(
        (tags) =>
          `v=DMARC1; ${Object.entries(tags)
            .flatMap(([name, text]) => (text === undefined ? [] : [`${name}=${text}`]))
            .join("; ")}`,
      ),
    weight: 8,
  },
  fc.constantFrom(
    "v=DMARC1",
    "v=dmarc1; p=reject",
    " V = DMARC1 ;p = reject;; sp=none;",
    "p=reject; v=DMARC1",
    "v=DMARC1; p=reject; p=none",
    "v=DMARC1; P=Reject; p",
    "v=DMARC1; p=none; sp",
    "v=DMARC1x; p=reject",
    "v=spf1 -all",
    "v=DMARC1; p=quarantine; =x; a",
  ),
);
const answer: fc.Arbitrary<TxtTable[string]> = fc.oneof(
  { arbitrary: record.map((text) => [text]), weight: 8 },
  fc.tuple(record, record),
  fc.constantFrom<TxtTable[string]>("failed", "late", [], ["v=spf1 -all", "v=DMARC1; p=reject"]),
);
const domains = fc.array(fc.constantFrom(...names, "A.EXAMPLE.", "bücher.example", "", "."), { maxLength: 3 });
const scene = fc.record({
  author,
  spf: domains,
  dkim: domains,
  records: fc.dictionary(fc.constantFrom(...names), answer, { maxKeys: 5 }),
  hosts: fc.dictionary(fc.constantFrom(...names), fc.constantFrom<TxtTable[string]>([], "failed"), { maxKeys: 3 }),
});

test("generated policies and alignments get the verdict that mailauth gives", { timeout: 3_600_000 }, async () => {
  const results = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scene, async ({ author: from, spf, dkim, records, hosts }) => {
      const table: TxtTable = {
        ...Object.fromEntries(Object.entries(records).map(([name, texts]) => [`_dmarc.${name}`, texts])),
        ...hosts,
      };
      const theirs = await libraryDmarc(from, { spf, dkim }, table);
      const judge = new DmarcJudge(from, answersOf(table));
      const ours = { policy: await judge.policy(), verdict: await judge.judge({ spf, dkim }) };
      expect(ours).toEqual(theirs);
      const name = `${ours.verdict.result}${ours.verdict.isProven ? ", proven" : ""}`;
      results.set(name, (results.get(name) ?? 0) + 1);
    }),
    { numRuns: rounds(3000, 100_000) },
  );
  printFigures("DMARC results that were compared", Object.fromEntries(results));
  for (const result of ["pass, proven", "fail", "none", "none, proven", "temperror"]) {
    expect(results.get(result) ?? 0, result).toBeGreaterThan(0);
  }
});

test("names with U-labels become the A-labels that mailauth looks up", () => {
  const char = fc.oneof(
    fc.constantFrom("a", "B", "-", ".", "_", "é", "É", "ß", "日", "本", "𝒳", "。", "\u{308}", "\u{fffd}"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }).filter((it) => it !== "@"),
  );
  fc.assert(
    fc.property(fc.array(char, { maxLength: 12 }), (chars) => {
      const name = chars.join("");
      expect(toALabels(name)).toBe(libraryTools.toALabel(name));
    }),
    { numRuns: rounds(2000, 100_000) },
  );
});
