/**
 * Compares our verdict on ARC chains with mailauth's, for generated chains: sealed by the library, then changed as
 * forwarders and forgers change them.
 */

import { generateKeyPairSync } from "node:crypto";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { sealMessage } from "mailauth";
import { expect, test } from "vitest";
import { bounds } from "../../../limits/table.ts";
import { BodyHashes } from "../../message/message-signer.ts";
import { readShownAuthor } from "./author.ts";
import { checkSignatures } from "./check-signatures.ts";
import { answersOf, libraryVerdicts, type TxtTable } from "./library-verdicts.testing.ts";

const pem = {
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 1024, ...pem });
const ed = generateKeyPairSync("ed25519", pem);
const keys = { rsa: rsa.privateKey, ed: ed.privateKey };
const records = {
  rsa: `v=DKIM1; p=${rsa.publicKey.toString("base64")}`,
  ed: `v=DKIM1; k=ed25519; p=${ed.publicKey.subarray(-32).toString("base64")}`,
};
const original = "From: Ann <ann@a.example>\r\nTo: b@b.example\r\nSubject: hi\r\n\r\nHello  there\r\n";

interface Sealing {
  key: keyof typeof keys;
  domain: string;
  results: string;
}

/** Seals a message once for each sealer, each on top of the one before. */
async function sealed(sealers: readonly Sealing[]): Promise<string> {
  let raw = Buffer.from(original);
  for (const [at, { key, domain, results }] of sealers.entries()) {
    const fields = await sealMessage(raw, {
      signingDomain: domain,
      selector: key,
      privateKey: keys[key],
      authResults: results,
      cv: at === 0 ? "none" : "pass",
    });
    raw = Buffer.concat([fields, raw]);
  }
  return raw.toString("latin1");
}

const sealing: fc.Arbitrary<Sealing> = fc.record({
  key: fc.constantFrom("rsa", "rsa", "rsa", "ed"),
  domain: fc.constantFrom("list.example", "list.example", "Relay.Example", "bücher.example"),
  results: fc.constantFrom(
    "mx.b.example; dmarc=pass header.from=a.example; spf=pass",
    "mx.b.example; spf=none; dkim=pass header.i=@a.example; dmarc=fail (p=REJECT) header.from=a.example",
    'mx.b.example; dmarc=pass (a; "b) header.from="a;b"; arc=none (dmarc=fail)',
    'mx.b.example; dmarc="pass"; dmarc = PASS policy.dmarc=none',
    "mx.b.example 1; none",
    "mx.b.example; dmarc=",
    "mx.b.example; (dmarc=pass (x\\) y)) spf=pass; dmarc=temp\\ error",
  ),
});

type Change = (header: readonly string[], at: number) => readonly string[];
const swapTag = (name: string, text: string) => (fields: readonly string[], at: number) =>
  fields.with(at, (fields[at] ?? "").replace(new RegExp(`(^|[;:\\s])${name}\\s*=[^;]*`), `$1${name}=${text}`));
const onArc =
  (change: Change): Change =>
  (fields, at) => {
    const arc = fields.flatMap((field, index) => (/^ARC-/i.test(field) ? [index] : []));
    const chosen = arc[at % Math.max(arc.length, 1)];
    return chosen === undefined ? fields : change(fields, chosen);
  };
const changes: Record<string, Change> = {
  "a field left out": onArc((fields, at) => fields.toSpliced(at, 1)),
  "a field twice": onArc((fields, at) => fields.toSpliced(at, 0, fields[at] ?? "")),
  "fields in another order": onArc((fields, at) => [...fields.slice(at), ...fields.slice(0, at)]),
  "another instance": onArc(swapTag("i", "2")),
  "an instance beyond the last": onArc(swapTag("i", "7")),
  "a broken instance": onArc(swapTag("i", "1.5")),
  "no instance": onArc(swapTag("i", "x")),
  "instance zero": onArc(swapTag("i", "0")),
  "cv=pass": onArc(swapTag("cv", "pass")),
  "cv=none": onArc(swapTag("cv", "none")),
  "cv=fail": onArc(swapTag("cv", "fail")),
  "cv=NONE": onArc(swapTag("cv", "NONE")),
  "another algorithm": onArc(swapTag("a", "rsa-sha1")),
  "no algorithm": onArc(swapTag("a", "")),
  "another kind of algorithm": onArc(swapTag("a", "ed25519-sha256")),
  "another domain": onArc(swapTag("d", "evil.example")),
  "another selector": onArc(swapTag("s", "none")),
  "another canonicalization": onArc(swapTag("c", "simple/simple")),
  "no canonicalization": onArc((fields, at) => fields.with(at, (fields[at] ?? "").replace(/ c=[^;]*;/, ""))),
  "h= in a field": onArc((fields, at) => fields.with(at, (fields[at] ?? "").replace(/:/, ": h=from;"))),
  "seals signed by the message": onArc(swapTag("h", "from:arc-seal")),
  "other case and folds": onArc((fields, at) =>
    fields.with(
      at,
      (fields[at] ?? "").replace(/^ARC-[^:]*/, (name) => `${name.toUpperCase()}\t`).replace(/; /, ";\r\n\t "),
    ),
  ),
  "other text": (fields) => [...fields, "Subject: added"],
};

const message = fc.record({
  sealers: fc.oneof({ arbitrary: fc.array(sealing, { minLength: 1, maxLength: 3 }), weight: 20 }, fc.constant([])),
  edits: fc.array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat()), { maxLength: 2 }),
  cut: fc.option(fc.tuple(fc.nat(), fc.constantFrom("x", " ", ";", "\r\n ")), { freq: 4, nil: null }),
  answer: fc.oneof(
    { arbitrary: fc.constant(null), weight: 8 },
    fc.constantFrom<readonly string[] | "failed" | "late">(
      "failed",
      "late",
      [],
      ["p="],
      [records.ed],
      [`${records.rsa}; h=sha1`],
      [`${records.rsa}; s=chat`],
    ),
  ),
});

const sealer: Sealing = { key: "rsa", domain: "list.example", results: "mx.b.example; spf=pass" };
type DrawnMessage = typeof message extends fc.Arbitrary<infer Drawn> ? Drawn : never;
/** One message for each required result: random messages lack the rarest result in about one run of twenty. */
const oneOfEach: [DrawnMessage][] = [
  [{ sealers: [sealer], edits: [], cut: null, answer: null }],
  [{ sealers: [{ ...sealer, results: "mx; dmarc=pass header.from=a.example" }], edits: [], cut: null, answer: null }],
  [{ sealers: [sealer], edits: [], cut: null, answer: "failed" }],
  [{ sealers: [], edits: [], cut: null, answer: null }],
];

/** DNS with the keys of three ARC sealers; `answer`, unless `null`, replaces that for the RSA key of list.example. */
function tableWith(answer: readonly string[] | "failed" | "late" | null): TxtTable {
  const domains = ["list.example", "relay.example", "xn--bcher-kva.example"];
  return {
    ...Object.fromEntries(
      domains.flatMap((domain) => [
        [`rsa._domainkey.${domain}`, [records.rsa]],
        [`ed._domainkey.${domain}`, [records.ed]],
      ]),
    ),
    ...(answer === null ? {} : { "rsa._domainkey.list.example": answer }),
  };
}

async function compare(raw: Buffer, table: TxtTable): Promise<string> {
  const shown = readShownAuthor({ raw, envelopeFrom: "" });
  const found = await checkSignatures({ raw, shown }, { dns: answersOf(table), bodyHashes: new BodyHashes() }).arc;
  const theirs = await libraryVerdicts(raw, table);
  if (theirs !== null) {
    expect({ ...found, comment: "", vouchedAuthor: "" }).toEqual({ ...theirs.arc, vouchedAuthor: "" });
    if (found.result === "pass" && found.vouchedAuthor !== "")
      expect(found.vouchedAuthor).toBe(theirs.arc.vouchedAuthor);
  }
  if (found.result === "pass" && found.vouchedAuthor !== "") return "pass, with an author";
  return found.result === "fail" ? `fail ${found.comment.replace(/[\d."].*|for .*/, "").trim()}` : found.result;
}

test("generated chains of all forms get the result that mailauth gives", { timeout: 3_600_000 }, async () => {
  const results = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(message, async ({ sealers, edits, cut, answer }) => {
      const text = await sealed(sealers);
      const end = text.indexOf("\r\n\r\n");
      let fields: readonly string[] = text.slice(0, end).split(/\r\n(?![ \t])/);
      for (const [name, at] of edits) fields = changes[name]?.(fields, at) ?? fields;
      let header = fields.join("\r\n");
      if (cut !== null)
        header = `${header.slice(0, cut[0] % header.length)}${cut[1]}${header.slice(cut[0] % header.length)}`;
      const result = await compare(Buffer.from(header + text.slice(end), "latin1"), tableWith(answer));
      results.set(result, (results.get(result) ?? 0) + 1);
    }),
    { numRuns: rounds(250, 100_000), examples: oneOfEach },
  );
  printFigures("ARC results that were compared", Object.fromEntries(results));
  for (const result of ["pass", "pass, with an author", "none", "temperror"])
    expect(results.get(result) ?? 0, result).toBeGreaterThan(0);
});

test("a chain as long as is checked passes on both sides", { timeout: 120_000 }, async () => {
  const sealers = Array.from(
    { length: bounds.signatures.arcSets },
    () => ({ key: "rsa", domain: "list.example", results: "mx.example; dmarc=pass" }) as const,
  );
  expect(await compare(Buffer.from(await sealed(sealers), "latin1"), tableWith(null))).toBe("pass");
});
