/** Checks ARC chains that our own sealer makes, up to fifty sets, and chains with gaps, doubles and wrong claims. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, it, test } from "vitest";
import { canonicalBody } from "../dkim/dkim-body.ts";
import { simpleBodyHash } from "../dkim/dkim-canonical.ts";
import type { DkimKey } from "../dkim/dkim-sign.ts";
import { publicDkimKey } from "../dkim/dns-records.ts";
import { readKeyRecord } from "../dkim/key-record.ts";
import { checkBeforeKey, checkWithKey, type KeyLookup, readSignatureField } from "../dkim/verify-signature.ts";
import { readHeader } from "../header/headers.ts";
import { rawFields } from "../header/raw-fields.ts";
import { type ChainStatus, checkChain, lastArcSigner, readArcChain } from "./arc-chain.ts";
import { readArcResults } from "./arc-results.ts";
import { arcSign } from "./arc-set.ts";

const key: DkimKey = {
  domain: "list.example",
  selector: "s",
  algorithm: "ed25519-sha256",
  ...generateKeyPairSync("ed25519"),
};
const record = readKeyRecord(publicDkimKey(key).text);
const body = Buffer.from("Hello\r\n");
const original = "From: Ann <ann@a.example>\r\nSubject: hi\r\n\r\n";

async function sealed(times: number): Promise<string> {
  let header = original;
  for (let at = 0; at < times; at += 1) {
    const bytes = Buffer.from(header);
    const source = { header: bytes, fields: readHeader(bytes).fields, bodyHash: simpleBodyHash(body) };
    const status = at === 0 ? "none" : "pass";
    const set = { ...source, signedAt: new Date(0), results: `mx.example; dmarc=pass; spf=none`, status } as const;
    header = `${await arcSign(set, key)}${header}`;
  }
  return header;
}

function verdictOn(header: string, found: KeyLookup = record): ChainStatus | string | null {
  const fields = rawFields(header);
  const chain = readArcChain(fields);
  if (chain === null) return null;
  if ("problem" in chain) return chain.problem;
  const newest = chain.sets.at(-1)?.message;
  const signature = newest === undefined ? null : readSignatureField(newest);
  if (signature === null) return "no signature";
  const hash = createHash("sha256");
  for (const piece of canonicalBody(body, signature.bodyForm)) hash.update(piece);
  const message =
    checkBeforeKey(signature, hash.digest("base64")) ?? checkWithKey(signature, { fields, found, now: Date.now() });
  const checks = checkChain(chain.sets, { message, keys: chain.sets.map(() => found) });
  let next = checks.next();
  while (!next.done) next = checks.next();
  return next.value;
}

const passed = { result: "pass", reason: "" };
let three = "";
beforeAll(async () => {
  three = await sealed(3);
});

test("our own chains of one, three and fifty sets pass, and a message without sets has no chain", async () => {
  expect(verdictOn(original)).toBeNull();
  expect(verdictOn(await sealed(1))).toEqual(passed);
  expect(verdictOn(three)).toEqual(passed);
  expect(verdictOn(await sealed(50))).toEqual(passed);
});

test("our sealer adds no set to a chain of fifty, and a chain of 51 is refused", async () => {
  const fifty = await sealed(50);
  expect(await sealed(51)).toBe(fifty);
  const more = ["Seal", "Message-Signature", "Authentication-Results"].map((name) => `ARC-${name}: i=51; cv=pass\r\n`);
  expect(verdictOn(more.join("") + fifty)).toBe("chain-length=51");
});

test("fields of the sets may stand in any order and have other white space and case", () => {
  const fields = three.split(/\r\n(?![ \t])/);
  const arc = fields.filter((field) => field.startsWith("ARC-"));
  const others = fields.filter((field) => field !== "" && !field.startsWith("ARC-"));
  const shown = (turned: string[]) => `${[...others, ...turned].join("\r\n")}\r\n\r\n`;
  expect(verdictOn(shown(arc.toReversed()))).toEqual(passed);
  expect(verdictOn(shown(arc.map((field) => field.replace(/^ARC-(\S*):/, "arc-$1:\r\n\t"))))).toEqual(passed);
});

describe("a chain fails", () => {
  const without = (pattern: RegExp) => three.replace(pattern, "");
  it.each<[string, () => string, string]>([
    ["with a gap", () => without(/ARC-[^:]*: i=2;(?:(?!\r\n\S)[^])*\r\n/g), "i=3 expected=2"],
    ["without its first set", () => without(/ARC-[^:]*: i=1;(?:(?!\r\n\S)[^])*\r\n/g), "i=2 expected=1"],
    ["without a seal", () => without(/ARC-Seal: i=2;(?:(?!\r\n\S)[^])*\r\n/), "i=2 no arc-seal set"],
    [
      "without results",
      () => without(/ARC-Authentication-Results: i=3;[^]*?\r\n(?=\S)/),
      "i=3 no arc-authentication-results set",
    ],
    ["with a set twice", () => `ARC-Seal: i=1; cv=none\r\n${three}`, "i=1 multiple arc-seal values"],
    ["with cv=pass in the first set", () => three.replace("i=1; cv=none", "i=1; cv=pass"), "i=1 cv=pass"],
    ["with cv=none in a later set", () => three.replace("i=3; cv=pass", "i=3; cv=none"), "i=3 cv=none"],
    ["with cv=fail", () => three.replace("i=3; cv=pass", "i=3; cv=fail"), "i=3 cv=fail"],
    [
      "with rsa-sha1",
      () => three.replace(/(ARC-Seal: i=2;[^]*?a=)ed25519-sha256/, "$1rsa-sha1"),
      "i=2 invalid seal algorithm",
    ],
    ["with h= in a seal", () => three.replace("i=2; cv=pass;", "i=2; cv=pass; h=from;"), "i=2 unexpected as h"],
    [
      "with a seal among the signed fields",
      () => three.replace(/(ARC-Message-Signature: i=3;[^]*?\sh=)/, "$1arc-seal:"),
      "i=3 invalid ams h",
    ],
    [
      "with a changed seal",
      () => three.replace(/(ARC-Seal: i=1;[^]*?t=)0/, "$11"),
      "i=3 seal signature validation failed",
    ],
    ["with a changed message", () => three.replace("Subject: hi", "Subject: ho"), "i=3 no valid signature"],
  ])("%s", (_, change, reason) => {
    const found = verdictOn(change());
    expect(typeof found === "string" ? found : found?.reason).toBe(reason);
    expect(found).not.toMatchObject({ result: "pass" });
  });

  it("without a key, and is undecided while the key can't be looked up", () => {
    expect(verdictOn(three, null)).toMatchObject({ result: "fail", reason: "no key for s._domainkey.list.example" });
    expect(verdictOn(three, { failed: "ETIMEOUT" })).toMatchObject({ result: "temperror" });
  });
});

test("the last sealer is known whether the chain is valid or not", () => {
  const chain = readArcChain(rawFields(three.replace(/d=list.example/, "d=List.Example")));
  expect(chain !== null && "sets" in chain && lastArcSigner(chain.sets)).toBe("list.example");
});

test("comments, quoted strings and escapes do not end a part of the results", () => {
  const value = ' i=1; mx.example 1; spf=pass (a; dmarc=pass (b\\)) c) x="a;b\\"" ; DMARC = fail\\;x; =; (c)';
  expect(readArcResults(value)).toEqual(
    new Map([
      ["i", "1"],
      ["spf", 'pass x="a;b\\""'],
      ["dmarc", "fail;x"],
    ]),
  );
  for (const open of ["a=(", 'a="', "a=\\", "(", '"', "\\", "a=(\\", 'a="\\'])
    expect(readArcResults(open).size).toBeLessThan(2);
});
