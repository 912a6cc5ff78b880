/**
 * Compares our checks of DKIM signatures with mailauth's, for generated messages, signatures and key records of all
 * forms, valid or not. Messages are signed with the library's own canonicalization, so that agreement on `pass` means
 * something.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createRequire } from "node:module";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyHashes } from "../../message/message-signer.ts";
import { readShownAuthor } from "./author.ts";
import { checkSignatures } from "./check-signatures.ts";
import { answersOf, asForwarded, asStrict, libraryVerdicts, type TxtTable } from "./library-verdicts.testing.ts";

interface ParsedHeaders {
  parsed: unknown[];
}

const load = createRequire(import.meta.url);
const tools = load("mailauth/lib/tools") as {
  parseHeaders(header: Buffer): ParsedHeaders;
  getSigningHeaderLines(fields: unknown[], names: string | undefined, isVerifying: true): unknown;
};
const { generateCanonicalizedHeader } = load("mailauth/lib/dkim/header") as {
  generateCanonicalizedHeader(
    type: "DKIM",
    lines: unknown,
    options: { signatureHeaderLine: Buffer; canonicalization: string },
  ): { canonicalizedHeader: Buffer };
};
const { dkimBody } = load("mailauth/lib/dkim/body") as {
  dkimBody(
    form: string,
    algorithm: string,
    limit: number | false,
  ): { update(b: Buffer): void; digest(e: string): string };
};

const der = { type: "spki", format: "der" } as const;
const pairs = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 1024 }),
  short: generateKeyPairSync("rsa", { modulusLength: 768 }),
  ed: generateKeyPairSync("ed25519"),
};
type KeyName = keyof typeof pairs;
const published: Record<KeyName | "bare" | "info" | "ec", string> = {
  rsa: pairs.rsa.publicKey.export(der).toString("base64"),
  bare: pairs.rsa.publicKey.export({ type: "pkcs1", format: "der" }).toString("base64"),
  short: pairs.short.publicKey.export(der).toString("base64"),
  ed: pairs.ed.publicKey.export(der).subarray(-32).toString("base64"),
  info: pairs.ed.publicKey.export(der).toString("base64"),
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export(der).toString("base64"),
};

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 6 * others.length + 1 }, ...others.map((it) => fc.constant(it)));
const blank = fc.constantFrom("", "", " ", "  ", "\t", "\r\n ", "\r\n\t ");

const value = fc.array(
  fc.constantFrom("a", "word", " ", "  ", "\t", "\r\n ", "\r\n\t", "é", "\u{a0}", ":", ";", "\r"),
  {
    maxLength: 8,
  },
);
const field = fc
  .tuple(
    fc.constantFrom("Subject", "To", "X", "subject", "X-ODD", "List-Id", "Date", "Cc", "ÉX", "b"),
    fc.constantFrom(":", ":", ": ", " : ", "\t:", "\r\n :", ":\r\n "),
    value,
  )
  .map(([name, colon, pieces]) => `${name}${colon}${pieces.join("")}\r\n`);
const headerText = fc
  .tuple(fc.array(field, { maxLength: 5 }), fc.array(field, { maxLength: 3 }))
  .map(([above, below]) => `${above.join("")}From: Ann <ann@a.example>\r\n${below.join("")}`);
const bodyText = fc
  .array(fc.constantFrom("text", " ", "  ", "\t", "\r\n", "\r\n", "\n", "é", "."), { maxLength: 20 })
  .map((pieces) => pieces.join(""));

/** A key record for a signing key: the usual one, or one with other, missing, repeated or odd tags. */
const recordOf = (key: KeyName) =>
  fc.oneof(
    { arbitrary: fc.constant(`v=DKIM1; k=${key === "ed" ? "ed25519" : "rsa"}; p=${published[key]}`), weight: 3 },
    fc
      .tuple(
        fc.shuffledSubarray(
          [
            ["v=DKIM1", "v=dkim1", "V=DKIM1", "v=DKIM2", "v=1", "v", "v="],
            ["k=rsa", "k=ed25519", "k=RSA", "k=dsa", "k=", "k"],
            ["h=sha256", "h=sha1", "h=sha1:sha256", "h=SHA256 : x", "h=", "h"],
            ["s=email", "s=*", "s=chat", "s=chat:EMAIL", "s="],
            ["t=y", "t=s", "t=y:s", "t="],
            ["n=a note; b", "", ";", "p", "x=\u{e9}"],
          ].map((forms) => forms),
          { minLength: 0 },
        ),
        fc.constantFrom(
          ...[key, key, key, "bare", "info", "ec", "short"].map(
            (name) => `p=${published[name as keyof typeof published]}`,
          ),
          `p=${published[key].replace(/=+$/, "")}`,
          `p=${published[key].replace(/(.{20})/g, "$1 ")}`,
          "p=",
          "p=*",
          "p=AAAA",
          "q=",
        ),
        fc.nat(),
        fc.boolean(),
      )
      .map(([tags, p, at, isFirst]) => {
        const chosen = tags.map((forms, index) => forms[(at + index) % forms.length] ?? "");
        return (isFirst ? [p, ...chosen] : [...chosen, p]).join(at % 2 === 0 ? "; " : ";");
      }),
  );
const answer = (key: KeyName): fc.Arbitrary<readonly string[] | "failed" | "late"> =>
  fc.oneof(
    { arbitrary: recordOf(key).map((record) => [record]), weight: 12 },
    { arbitrary: fc.tuple(recordOf(key), recordOf(key)), weight: 1 },
    fc.constantFrom<readonly string[] | "failed" | "late">("failed", "late", [""], [" "], []),
  );

/** Tags of a signature; `undefined` leaves one out. */
const tagChoices = fc.record({
  v: often<string | undefined>("1", undefined, "2", "x"),
  c: often<string | undefined>(
    "relaxed/relaxed",
    "simple/simple",
    "relaxed",
    "simple/relaxed",
    undefined,
    "Relaxed/SIMPLE",
    "odd/odd",
    "relaxed/",
    "/relaxed",
    "relaxed/simple/x",
    "",
  ),
  h: often<string | undefined>(
    "from:to:subject",
    "From : Subject :x",
    "from:from:from",
    "subject",
    "FROM:date:nothing",
    "from:éx:Éx:b",
    undefined,
    "",
    ":from:",
  ),
  i: often<string | undefined>(
    undefined,
    "@a.example",
    "x@sub.a.example",
    "@other.example",
    "odd",
    "@nota.example",
    "",
  ),
  l: often<string | undefined>(undefined, "0", "3", "1000", "many"),
  t: often<string | undefined>("1700000000", undefined, "9999999999", "x"),
  x: often<string | undefined>(undefined, undefined, "1600000000", "9999999999", "1"),
  q: often<string | undefined>(undefined, "dns/txt", "dns/x"),
  z: often<string | undefined>(undefined, "From:b=1", "b", '("x'),
});

interface Signing {
  key: KeyName;
  a: string;
  d: string;
  tags: Record<string, string | undefined>;
  order: number;
  gap: string;
  isUpper: boolean;
  extra: string;
}

const signingOf = (key: KeyName): fc.Arbitrary<Signing> =>
  fc.record({
    key: fc.constant(key),
    a: often(
      key === "ed" ? "ed25519-sha256" : "rsa-sha256",
      "rsa-sha1",
      "RSA-SHA256",
      "rsa-md5",
      "ed25519-sha256",
      "rsa-sha256",
      "ed25519-sha1",
      "rsa",
      "rsa -sha256",
      "ed25519-x-sha256",
    ),
    d: often("a.example", "sub.a.example", "A.Example", "other.example", "bücher.example", "x_y.example", ""),
    tags: tagChoices,
    order: fc.nat(1000),
    gap: blank,
    isUpper: fc.integer({ min: 0, max: 9 }).map((it) => it === 0),
    extra: often("", ";", "; x", "; x; b", "; d=evil.example", ";;", "; note=1;"),
  });

/** @returns a signature field that is valid unless its tags prevent that */
function signedField(header: Buffer, body: Buffer, { key, a, d, tags, order, gap, isUpper, extra }: Signing): string {
  const c = tags.c ?? "simple/simple";
  const [headerForm, bodyForm = "simple"] = c.toLowerCase().split("/");
  const isKnown = [headerForm, bodyForm || "simple"].every((form) => ["simple", "relaxed"].includes(form ?? ""));
  const limit = tags.l !== undefined && tags.l !== "" && Number(tags.l) >= 0 ? Math.floor(Number(tags.l)) : false;
  const hash = dkimBody(
    isKnown ? bodyForm || "simple" : "simple",
    a.includes("sha1") ? "sha1" : "sha256",
    tags.l === "" ? 0 : limit,
  );
  hash.update(Buffer.from(body.toString("latin1").replace(/(?<!\r)\n/g, "\r\n"), "latin1"));
  const all = Object.entries({ ...tags, a, d, s: key, bh: hash.digest("base64") }).filter(
    ([, text]) => text !== undefined,
  );
  const turned = [...all.slice(order % all.length), ...all.slice(0, order % all.length)];
  const list = turned
    .map(([name, text]) => `${isUpper ? name.toUpperCase() : name}${gap}=${gap}${text}`)
    .join(`;${gap || " "}`);
  const start = `DKIM-Signature: ${list}; b=`;
  const unsigned = Buffer.from(`${start}${extra}`);
  const lines = tools.getSigningHeaderLines(tools.parseHeaders(header).parsed, tags.h?.replace(/\s+/g, ""), true);
  const canonicalization = isKnown ? `${headerForm}/x` : "simple";
  const { canonicalizedHeader } = generateCanonicalizedHeader("DKIM", lines, {
    signatureHeaderLine: unsigned,
    canonicalization,
  });
  const value = signatureOf(canonicalizedHeader, pairs[key].privateKey, a.includes("sha1") ? "sha1" : "sha256");
  return `${start}${value.replace(/(.{60})/g, "$1\r\n ")}${extra}\r\n`;
}

function signatureOf(data: Buffer, key: KeyObject, hash: string): string {
  const isRsa = key.asymmetricKeyType === "rsa";
  const input = isRsa ? data : createHash("sha256").update(data).digest();
  return sign(isRsa ? hash : null, input, key).toString("base64");
}

const change = fc.option(
  fc.record({
    at: fc.nat(),
    cut: fc.nat(3),
    put: fc.constantFrom(
      "",
      "x",
      " ",
      "\r\n ",
      "\t",
      "=",
      ";",
      ":",
      "\n",
      "\r\n",
      "From: b@b.example\r\n",
      "Subject: x\r\n",
      "é",
    ),
  }),
  { freq: 3, nil: null },
);

const keyNames = fc.constantFrom<KeyName>("rsa", "rsa", "ed", "short");
const message = keyNames.chain((key) =>
  fc.record({
    header: headerText,
    body: bodyText,
    signings: fc.tuple(signingOf(key), fc.option(keyNames.chain(signingOf), { freq: 4, nil: null })),
    answer: answer(key),
    change,
  }),
);

test("generated signatures of all forms get the result that mailauth gives", { timeout: 3_600_000 }, async () => {
  const results = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(message, async ({ header, body, signings, answer: records, change: edit }) => {
      const bytes = Buffer.from(header);
      const content = Buffer.from(body);
      const fields = signings.flatMap((it) => (it === null ? [] : [signedField(bytes, content, it)]));
      let raw = Buffer.concat([Buffer.from(fields.join("")), bytes, Buffer.from("\r\n"), content]);
      if (edit !== null) {
        const at = edit.at % (raw.length + 1);
        raw = Buffer.concat([raw.subarray(0, at), Buffer.from(edit.put), raw.subarray(at + edit.cut)]);
      }
      const table: TxtTable = Object.fromEntries(
        ["a.example", "sub.a.example", "xn--bcher-kva.example", "x_y.example"].flatMap((domain) => [
          [`${signings[0].key}._domainkey.${domain}`, records],
          ...(signings[0].key === "ed" ? [] : [[`ed._domainkey.${domain}`, [`k=ed25519; p=${published.ed}`]]]),
        ]),
      );
      const theirs = await libraryVerdicts(raw, table);
      const ours = checkSignatures(
        { raw, shown: { ...readShownAuthor({ raw, envelopeFrom: "" }), fromFields: fromCount(raw) } },
        { dns: answersOf(table), bodyHashes: new BodyHashes() },
      );
      const found = await ours.dkim;
      for (const { result, comment } of found) {
        const name = `${result} ${comment.replace(/:.*/, "")}`.trim();
        results.set(name, (results.get(name) ?? 0) + 1);
      }
      if (theirs !== null && fromCount(raw) <= 1) expect(found).toEqual(asStrict(theirs, found).dkim);
    }),
    { numRuns: rounds(600, 100_000) },
  );
  printFigures("DKIM results that were compared", Object.fromEntries(results));
  for (const name of ["pass", "fail bad signature", "policy", "policy weak algorithm", "neutral expired"]) {
    expect(results.get(name) ?? 0, name).toBeGreaterThan(0);
  }
});

/** The number of From fields as the library counts them: which author is displayed is no subject of this test. */
function fromCount(raw: Buffer): number {
  const forwarded = asForwarded(raw);
  const end = forwarded.indexOf("\r\n\r\n");
  const header = forwarded.subarray(0, end < 0 ? forwarded.length : end);
  return (tools.parseHeaders(header).parsed as { key: string }[]).filter(({ key }) => key === "from").length;
}
