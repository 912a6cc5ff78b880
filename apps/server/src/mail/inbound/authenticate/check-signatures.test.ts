/** Compares our checks of signatures with mailauth's, and checks published signatures. */

import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { addressesOf, countFields, readHeader, simpleBodyHash } from "@kauke/mail-rfc";
import { rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { dkimSign, dkimVerify } from "mailauth";
import { describe, expect, it, test } from "vitest";
import { hugeExponentKey } from "../../../../test/hostile-keys.testing.ts";
import { bounds } from "../../../limits/table.ts";
import { BodyHashes } from "../../message/message-signer.ts";
import { readShownAuthor } from "./author.ts";
import { checkSignatures, type SignatureFound } from "./check-signatures.ts";
import {
  answersOf,
  asForwarded,
  asStrict,
  libraryTools,
  libraryVerdicts,
  type TxtTable,
} from "./library-verdicts.testing.ts";

const pem = { privateKeyEncoding: { type: "pkcs8", format: "pem" } } as const;
const der = { publicKeyEncoding: { type: "spki", format: "der" } } as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 1024, ...pem, ...der });
const short = generateKeyPairSync("rsa", { modulusLength: 512, ...pem, ...der });
const ed25519 = generateKeyPairSync("ed25519", { ...pem, ...der });
const keys: Record<string, { privateKey: string; record: string }> = {
  rsa: { privateKey: rsa.privateKey, record: `v=DKIM1; k=rsa; p=${rsa.publicKey.toString("base64")}` },
  short: { privateKey: short.privateKey, record: `v=DKIM1; k=rsa; p=${short.publicKey.toString("base64")}` },
  ed: {
    privateKey: ed25519.privateKey,
    record: `v=DKIM1; k=ed25519; p=${ed25519.publicKey.subarray(-32).toString("base64")}`,
  },
  testing: { privateKey: rsa.privateKey, record: `v=DKIM1; t=y:s; p=${rsa.publicKey.toString("base64")}` },
  strict: { privateKey: rsa.privateKey, record: `v=DKIM1; t=s; p=${rsa.publicKey.toString("base64")}` },
  mailOnly: { privateKey: rsa.privateKey, record: `v=DKIM1; s=email; p=${rsa.publicKey.toString("base64")}` },
  otherService: { privateKey: rsa.privateKey, record: `v=DKIM1; s=chat; p=${rsa.publicKey.toString("base64")}` },
  revoked: { privateKey: rsa.privateKey, record: "v=DKIM1; p=" },
};

// DNS records with the public keys of the example message in RFC 8463, appendix A.
const published: Record<string, string> = {
  "brisbane._domainkey.football.example.com": "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
  "test._domainkey.football.example.com":
    "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16J" +
    "Yi0Qvx/byYzCNb3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB",
};
const publishedMessage = `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=brisbane; t=1528637909; h=from : to :
 subject : date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus
 Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==
DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;
 d=football.example.com; i=@football.example.com;
 q=dns/txt; s=test; t=1528637909; h=from : to : subject :
 date : message-id : from : subject : date;
 bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;
 b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3
 DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz
 dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=
From: Joe SixPack <joe@football.example.com>
To: Suzie Q <suzie@shopping.example.net>
Subject: Is dinner ready?
Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)
Message-ID: <20030712040037.46341.5F8J@football.example.com>

Hi.

We lost the game.  Are you hungry yet?

Joe.
`.replaceAll("\n", "\r\n");

const zone = (): TxtTable => ({
  ...Object.fromEntries(Object.entries(published).map(([name, record]) => [name, [record]])),
  ...Object.fromEntries(
    Object.entries(keys).map(([name, { record }]) => [`${name.toLowerCase()}._domainkey.sender.example`, [record]]),
  ),
});

async function check(raw: Buffer, bodyHashes: Parameters<typeof checkSignatures>[1]["bodyHashes"] = new BodyHashes()) {
  const shown = readShownAuthor({ raw, envelopeFrom: "" });
  const { dkim, arc } = checkSignatures({ raw, shown }, { dns: answersOf(zone()), bodyHashes });
  return { dkim: await dkim, arc: { ...(await arc), comment: "" } };
}

/**
 * Where the library sees another author than the displayed one, no signature of the displayed author's domain may pass;
 * else results must be equal.
 */
async function expectSame(raw: Buffer): Promise<Awaited<ReturnType<typeof check>>> {
  const ours = await check(raw);
  const theirs = await libraryVerdicts(raw, zone());
  const { fields } = readHeader(raw);
  const author = addressesOf({ header: raw, fields }, "from").mailboxes[0]?.address;
  const seen = (await dkimVerify(asForwarded(raw), {})).headerFrom ?? [];
  const isSameAuthor = author === undefined ? seen.length === 0 : seen.length === 1 && seen[0] === author;
  if (isSameAuthor && countFields(fields, "from") <= 1)
    expect(ours).toEqual(theirs === null ? null : asStrict(theirs, ours.dkim));
  else {
    const { domain } = readShownAuthor({ raw, envelopeFrom: "" });
    const passed = ours.dkim.filter(({ result }) => result === "pass").map((found) => found.domain);
    expect(domain !== "" && libraryTools.getAlignment(domain, passed)).toBe(false);
  }
  return ours;
}

interface Signing {
  selector: string;
  canonicalization: string;
  algorithm?: string;
  maxBodyLength?: number;
  expires?: Date;
}

async function sign(
  message: Buffer,
  { selector, canonicalization, algorithm, maxBodyLength, expires }: Signing,
): Promise<Buffer> {
  const signer = { signingDomain: "sender.example", selector, privateKey: keys[selector]?.privateKey ?? "" };
  const { signatures, errors } = await dkimSign(message, {
    ...signer,
    canonicalization,
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(expires === undefined ? {} : { expires }),
    signTime: new Date("2026-01-01T00:00:00Z"),
    signatureData: [{ ...signer, ...(maxBodyLength === undefined ? {} : { maxBodyLength }) }],
  });
  expect(errors).toEqual([]);
  return Buffer.concat([Buffer.from(signatures), message]);
}

const header = "From: Ann <ann@sender.example>\r\nSubject: hi\r\nDate: Fri, 11 Jul 2003 21:00:37 -0700\r\n";
const latin1 = (text: string) => Buffer.from(text, "latin1");
const results = (found: { dkim: readonly SignatureFound[] }) => found.dkim.map(({ result }) => result);
const eml = ["eml", "eml-odd"].flatMap((folder) => {
  const directory = new URL(`../../../../../../test-vectors/${folder}/`, import.meta.url);
  return readdirSync(directory)
    .filter((name) => name.endsWith(".eml"))
    .map((name) => [name, readFileSync(new URL(name, directory))] as const);
});

test("both signatures of RFC 8463 appendix A are valid, and neither after one letter of the body changed", async () => {
  const found = await expectSame(Buffer.from(publishedMessage));
  expect(results(found)).toEqual(["pass", "pass"]);
  const changed = await expectSame(Buffer.from(publishedMessage.replace("hungry", "Hungry")));
  expect(results(changed)).toEqual(["neutral", "neutral"]);
});

describe("a signed message gets the result that mailauth alone gives", () => {
  it.each(eml)("%s, signed with each combination of canonicalizations", async (_name, bytes) => {
    for (const canonicalization of ["relaxed/relaxed", "relaxed/simple", "simple/relaxed", "simple/simple"]) {
      await expectSame(
        await sign(latin1(`From: Ann <ann@sender.example>\r\n${bytes.toString("latin1").replace(/^From:/gim, "X:")}`), {
          selector: "rsa",
          canonicalization,
        }),
      );
    }
  });

  it.each<[string, string, Signing]>([
    ["rsa-sha256", "pass", { selector: "rsa", canonicalization: "relaxed/relaxed" }],
    ["ed25519-sha256", "pass", { selector: "ed", canonicalization: "relaxed/relaxed" }],
    ["rsa-sha1", "policy", { selector: "rsa", canonicalization: "relaxed/relaxed", algorithm: "rsa-sha1" }],
    ["a key too short", "policy", { selector: "short", canonicalization: "relaxed/relaxed" }],
    ["a key in test mode", "neutral", { selector: "testing", canonicalization: "simple/relaxed" }],
    ["a key for no subdomain", "pass", { selector: "strict", canonicalization: "simple/relaxed" }],
    ["a key for mail", "pass", { selector: "mailOnly", canonicalization: "simple/simple" }],
    ["a key for something else", "neutral", { selector: "otherService", canonicalization: "simple/simple" }],
    ["a key taken back", "neutral", { selector: "revoked", canonicalization: "simple/simple" }],
    [
      "expired",
      "neutral",
      { selector: "rsa", canonicalization: "relaxed/relaxed", expires: new Date("2026-01-02T00:00:00Z") },
    ],
    ["part of the body signed", "policy", { selector: "rsa", canonicalization: "relaxed/relaxed", maxBodyLength: 8 }],
    ["none of the body signed", "policy", { selector: "rsa", canonicalization: "relaxed/simple", maxBodyLength: 0 }],
  ])("%s: %s", async (_name, result, signing) => {
    const signed = await sign(latin1(`${header}\r\nSome  text \t here \r\nand more\r\n\r\n`), signing);
    expect(results(await expectSame(signed))).toEqual([result]);
  });

  it("for invalid signatures: From not signed, malformed tags, unknown algorithm, two in one message", async () => {
    const signed = String(
      await sign(latin1(`${header}\r\nbody\r\n`), { selector: "rsa", canonicalization: "relaxed/relaxed" }),
    );
    const edits: [RegExp, string][] = [
      [/h=[^;]+;/i, "h=Subject:Date;"],
      [/v=1;/, "v=2;"],
      [/a=rsa-sha256;/, "a=rsa-md5;"],
      [/a=rsa-sha256;/, "a=ed25519-sha256;"],
      [/c=relaxed\/relaxed;/, "c=odd/odd;"],
      [/c=relaxed\/relaxed;/, "l=-1; c=relaxed/relaxed;"],
      [/c=relaxed\/relaxed;/, "l=1.5; c=relaxed/relaxed;"],
      [/c=relaxed\/relaxed;/, "l=many; c=relaxed/relaxed;"],
      [/c=relaxed\/relaxed;/, "l=99999999999999999999; c=relaxed;"],
      [/ t=\d+;/, " t=99999999999; x=1;"],
      [/d=sender\.example;/, "d=other.example;"],
      [/bh=[^;]+;/, "bh=;"],
      [/b=[^;]*$/m, "b="],
      [/^DKIM-Signature/, "DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=y; h=from; bh=x; b=y\r\nDKIM-Signature"],
    ];
    for (const [from, to] of edits) {
      expect(signed).toMatch(from);
      await expectSame(latin1(signed.replace(from, to)));
    }
  });

  it("for random bodies and random changes in transit", { timeout: 60_000 }, async () => {
    const short = ["\r\n", "\r\n", "\n", "\r", " ", "  ", "\t", "a", "word", "é", ".", "\0", " \r\n"];
    const piece = fc.constantFrom(...short, "x".repeat(70_000));
    // An insertion has at most 200 characters: a longer one could make d=, s= or i= longer than any DNS name. We ignore
    // such a signature, the library does not, so the results would differ.
    const inserted = fc.constantFrom(...short, "x".repeat(200));
    const signing = fc.record({
      selector: fc.constantFrom("rsa", "ed"),
      canonicalization: fc.constantFrom("relaxed/relaxed", "relaxed/simple", "simple/relaxed", "simple/simple"),
      maxBodyLength: fc.option(fc.nat(100), { nil: undefined }),
    });
    const change = fc.record({ at: fc.nat(), with: fc.option(inserted, { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), signing, change, async (pieces, how, { at, with: what }) => {
        const { maxBodyLength, ...rest } = how;
        const signed = await sign(
          latin1(`${header}\r\n${pieces.join("")}`),
          maxBodyLength === undefined ? rest : { ...rest, maxBodyLength },
        );
        const from = at % (signed.length + 1);
        const changed =
          what === undefined ? signed : Buffer.concat([signed.subarray(0, from), latin1(what), signed.subarray(from)]);
        await expectSame(changed);
      }),
      { numRuns: rounds(120, 300) },
    );
  });

  it.each([
    "",
    "\r\n",
    "\n",
    "\r\n\r\n",
    "\n\nFrom: x",
    "From: a@b.example",
    "From: a@b.example\r\n",
    "\rFrom: a@b.example\n\n",
  ])("message %j", async (text) => {
    await expectSame(latin1(text));
  });
});

test("signatures beyond the limit are not checked", async () => {
  const one = { selector: "rsa", canonicalization: "relaxed/relaxed" };
  const good = await sign(latin1(`${header}\r\nbody\r\n`), one);
  const bad = "DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=y; h=from; bh=x; b=y\r\n";
  const found = async (before: number) => results(await check(Buffer.concat([latin1(bad.repeat(before)), good])));
  expect(await found(bounds.signatures.signatures - 1)).toContain("pass");
  expect(await found(bounds.signatures.signatures)).toEqual(
    Array.from({ length: bounds.signatures.signatures }, () => "neutral"),
  );
});

test("keys of up to 4096 bits are accepted and larger ones are not", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 4096, ...pem, ...der });
  // Nobody has the private half of this key: the signature must be refused for the size of its key before it is
  // checked.
  const n = Buffer.concat([Buffer.of(0x80), randomBytes(638), Buffer.of(1)]).toString("base64url");
  const large = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" }).export(der.publicKeyEncoding);
  keys.most = { privateKey, record: `v=DKIM1; k=rsa; p=${publicKey.toString("base64")}` };
  keys.large = { privateKey, record: `v=DKIM1; k=rsa; p=${large.toString("base64")}` };
  const found = async (selector: string) => {
    const signed = await sign(latin1(`${header}\r\nx\r\n`), { selector, canonicalization: "relaxed/relaxed" });
    return (await check(signed)).dkim.map(({ result, comment }) => [result, comment]);
  };
  expect(await found("most")).toEqual([["pass", ""]]);
  expect(await found("large")).toEqual([["neutral", "invalid public key"]]);
});

test("keys with a long exponent are refused before a signature is checked with them", async () => {
  keys.exponent = { privateKey: rsa.privateKey, record: hugeExponentKey };
  const signed = await sign(latin1(`${header}\r\nx\r\n`), {
    selector: "exponent",
    canonicalization: "relaxed/relaxed",
  });
  const { dkim } = await check(signed);
  expect(dkim.map(({ result, comment }) => [result, comment])).toEqual([["neutral", "invalid public key"]]);
});

test("ten signatures are checked for a header of usual size, and fewer for a large one", async () => {
  const countOf = async (bytes: number) => {
    const large = latin1(`${header}X: ${"a".repeat(bytes)}\r\n\r\nbody\r\n`);
    const own = "DKIM-Signature: v=1; a=rsa-sha256; d=sender.example; s=rsa; h=from; bh=x; b=y\r\n";
    return (await check(Buffer.concat([latin1(own.repeat(12)), large]))).dkim.length;
  };
  expect(await countOf(50_000)).toBe(bounds.signatures.signatures);
  expect(await countOf(200_000)).toBe(5);
});

test("signatures with names too long for DNS are not checked, whatever surrounds them", async () => {
  const good = await sign(latin1(`${header}\r\nbody\r\n`), { selector: "rsa", canonicalization: "relaxed/relaxed" });
  const odd = `DKIM-Signature: v=1; a=rsa-sha256; d=${"é".repeat(8000)}; s=y; h=from; bh=x; b=y\r\n`;
  expect(results(await check(Buffer.concat([latin1(odd.repeat(12)), good])))).toEqual(["pass"]);
});

test("up to twenty ARC sets are checked, and none when there are more", async () => {
  const set = (i: number) =>
    `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? "none" : "pass"}; d=sender.example; s=rsa; b=x\r\n` +
    `ARC-Message-Signature: i=${i}; a=rsa-sha256; d=sender.example; s=rsa; h=from; bh=x; b=x\r\n` +
    `ARC-Authentication-Results: i=${i}; mx.test; spf=pass\r\n`;
  const arcOf = async (count: number) => {
    const sets = Array.from({ length: count }, (_, at) => set(at + 1)).join("");
    return (await check(latin1(`${sets}${header}\r\nbody\r\n`))).arc;
  };
  expect(await arcOf(bounds.signatures.arcSets)).toMatchObject({ result: "fail" });
  expect(await arcOf(bounds.signatures.arcSets + 1)).toMatchObject({ result: "none" });
});

describe("the body hash kept for our own signature", () => {
  const hashOf = async (message: Buffer) => {
    const bodyHashes = new BodyHashes();
    const noted: Buffer[] = [];
    const remember = (...[wire, bodyStart, hash]: Parameters<BodyHashes["remember"]>) => {
      noted.push(hash);
      bodyHashes.remember(wire, bodyStart, hash);
    };
    await check(message, { remember });
    return { noted, used: bodyHashes.of(message, message.indexOf("\r\n\r\n") + 4) };
  };
  const bodies = [
    "clean\r\nlines\r\n",
    "clean\r\n\r\n\r\n",
    "loose  space\r\n",
    "tab\there\r\n",
    "bare\nline\r\n",
    "end ",
    " \r\n",
    "",
    "\r\n\r\n",
  ];

  it.each(bodies.flatMap((body) => ["relaxed/relaxed", "simple/simple"].map((form) => [body, form] as const)))(
    "is correct for %j after verifying %s",
    async (body, canonicalization) => {
      const { used } = await hashOf(await sign(latin1(`${header}\r\n${body}`), { selector: "rsa", canonicalization }));
      expect(used).toEqual(simpleBodyHash(latin1(body)));
    },
  );

  it("is taken from verification only when the body is already canonical", async () => {
    const relaxed = { selector: "rsa", canonicalization: "relaxed/relaxed" };
    const noted = async (body: string, signing: Signing) =>
      (await hashOf(await sign(latin1(`${header}\r\n${body}`), signing))).noted.length;
    expect(await noted("clean\r\n", relaxed)).toBe(1);
    expect(await noted("loose  space\r\n", relaxed)).toBe(0);
    expect(await noted("clean\r\n", { ...relaxed, maxBodyLength: 3 })).toBe(0);
    expect(await noted("clean\r\n", { ...relaxed, algorithm: "rsa-sha1" })).toBe(0);
  });
});
