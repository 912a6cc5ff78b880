/**
 * What passes here passes with every other verifier: mailauth, Mail::DKIM (Perl) and python3-dkim, over generated
 * signatures whose tags hold odd octets. Each signature is valid for its text, so that only the reading of the tags
 * decides. Node hands names to a resolver in C, which `answersOf` imitates for us and mailauth; the others look a name
 * up as it is written. A signature that only the others accept is no fault.
 */
import { generateKeyPairSync } from "node:crypto";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { DkimVerifier, type KeyTable, verifierNames } from "@kauke/testkit/programs/dkim-verifiers";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { dkimField } from "../../../../test/attacks/policy/signatures.testing.ts";
import { BodyHashes } from "../../message/message-signer.ts";
import { readShownAuthor } from "./author.ts";
import { checkSignatures } from "./check-signatures.ts";
import { answersOf, libraryVerdicts } from "./library-verdicts.testing.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ format: "der", type: "spki" }).toString("base64")}`;
const keys: KeyTable = {
  ...Object.fromEntries(
    ["a.example", "sub.a.example", "evil.example"].map((domain) => [`s1._domainkey.${domain}`, [record]]),
  ),
  s1: [record],
  "evil.example": [record],
};
const message = "Date: x\r\nTo: b@b.example\r\nFrom: Ann <ann@a.example>\r\nSubject: hi\r\n\r\nHello there\r\n";

const octet = fc.oneof(
  fc.constantFrom(
    "\0",
    "\0",
    "\\",
    ".",
    " ",
    "\t",
    "\r\n ",
    "\r",
    "=",
    ":",
    "@",
    "-",
    "_",
    "\x7f",
    "\x80",
    "\xa0",
    "\xff",
  ),
  fc.constantFrom("\xc3\xbc", "\xef\xbc\x8e", "\xe3\x80\x82", "\xef\xbb\xbf", "\xc2\xa0", "\xe2\x84\xaa"),
  fc.integer({ min: 0, max: 255 }).map((it) => String.fromCharCode(it)),
);
/** One of the usual values, often with an octet put in or replaced. */
const odd = (...usual: string[]) =>
  fc
    .tuple(fc.constantFrom(...usual), fc.option(fc.tuple(octet, fc.nat(), fc.boolean()), { freq: 2, nil: null }))
    .map(([text, edit]) => {
      if (edit === null) return text;
      const at = edit[1] % (text.length + 1);
      return text.slice(0, at) + edit[0] + text.slice(at + (edit[2] ? 1 : 0));
    });
const seldom = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 3 }, { arbitrary: other, weight: 1 });
const tag = (name: string, ...usual: string[]) =>
  seldom(
    fc.constant(""),
    odd(...usual).map((text) => `${name}=${text}`),
  );

const tags = fc.record({
  s: seldom(fc.constant("s1"), odd("s1", "s1._domainkey.evil.example\0", "S1", "s1\0")),
  d: seldom(fc.constant("a.example"), odd("a.example", "sub.a.example", "evil.example\0.a.example", "A.Example")),
  h: seldom(fc.constant("from:to:subject"), odd("from", "From : To", "from:from", "from:x", "subject:from", "date")),
  more: fc
    .tuple(
      tag(
        "i",
        "@a.example",
        "ann@a.example",
        "@sub.a.example",
        "@evil.example",
        "@evil.example\0.a.example",
        "=40a.example",
      ),
      tag("t", "1700000000", "9999999999", "0x10", "1e9", "-1", "1.5"),
      tag("l", "0", "5", "13", "99", "0x0d", "1e1", "-1", "13.0", "+13"),
      tag("x", "9999999999", "1600000000", "0xffffffffff", "1e12", "-1", "99999999999999999999"),
      tag("q", "dns/txt", "dns", "x"),
    )
    .map((list) => list.filter((it) => it !== "").join("; ")),
});

interface Other {
  name: string;
  passes(raw: Buffer): Promise<boolean>;
}

const others: Other[] = [
  {
    name: "mailauth",
    passes: async (raw) => (await libraryVerdicts(raw, keys))?.dkim.some(({ result }) => result === "pass") ?? false,
  },
];
for (const name of verifierNames) {
  const verifier = DkimVerifier.start(name);
  if (verifier === null) console.log(`${name} is not installed: signatures are not compared with it.`);
  else {
    afterAll(() => verifier[Symbol.asyncDispose]());
    others.push({ name, passes: async (raw) => (await verifier.verify(raw, keys)) === "pass" });
  }
}

async function passesHere(raw: Buffer): Promise<boolean> {
  const shown = readShownAuthor({ raw, envelopeFrom: "" });
  const { dkim } = checkSignatures({ raw, shown }, { dns: answersOf(keys), bodyHashes: new BodyHashes() });
  return (await dkim).some(({ result }) => result === "pass");
}

describe.each(others)("signatures with odd octets, compared with $name", ({ name, passes }) => {
  test("none passes here alone", { timeout: 3_600_000 }, async () => {
    const counts = { both: 0, here: 0, there: 0, none: 0 };
    const onlyHere: string[] = [];
    await fc.assert(
      fc.asyncProperty(tags, async (drawn) => {
        const raw = Buffer.from(dkimField(message, privateKey, drawn) + message, "latin1");
        const [ours, theirs] = [await passesHere(raw), await passes(raw)];
        counts[ours ? (theirs ? "both" : "here") : theirs ? "there" : "none"] += 1;
        if (ours && !theirs) onlyHere.push(JSON.stringify(drawn));
      }),
      { numRuns: rounds(500, 20_000) },
    );
    printFigures(`Signatures with odd octets that pass here and with ${name}`, counts);
    expect(onlyHere).toEqual([]);
    expect(counts.both).toBeGreaterThan(30);
  });
});
