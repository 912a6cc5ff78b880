import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { simpleBodyHash } from "../dkim/dkim-canonical.ts";
import type { DkimKey } from "../dkim/dkim-sign.ts";
import { readHeader } from "../header/headers.ts";
import { type ArcSource, arcSign } from "./arc-set.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const key: DkimKey = { domain: "kauke.test", selector: "k1", algorithm: "ed25519-sha256", privateKey };

function seal(chain: string, status: ArcSource["status"]): Promise<string> {
  const header = Buffer.from(`${chain}From: ann@sender.example\r\nSubject: hi\r\n`);
  const { fields } = readHeader(header);
  const results = "mail.kauke.test; spf=pass";
  const signedAt = new Date("2026-11-21T12:00:00Z");
  return arcSign({ header, fields, bodyHash: simpleBodyHash(Buffer.from("body\r\n")), signedAt, results, status }, key);
}
const set = (instance: number, cv = "pass") =>
  [
    `ARC-Seal: i=${instance}; cv=${cv}; b=AA`,
    `ARC-Message-Signature: a=x; i=${instance}; b=AA`,
    `ARC-Authentication-Results: i=${instance}; x; spf=pass`,
  ]
    .map((field) => `${field}\r\n`)
    .join("");

test("the first set has instance 1, and each further set the next number", async () => {
  expect(await seal("", "none")).toMatch(
    /^ARC-Seal: i=1; cv=none;\r\n[^]*^ARC-Message-Signature: i=1; [^]*^ARC-Authentication-Results: i=1; mail\.kauke\.test; spf=pass\r\n$/m,
  );
  expect(await seal(set(2) + set(1, "none"), "pass")).toMatch(/^ARC-Seal: i=3; cv=pass;/);
  expect(await seal(set(1, "none"), "fail")).toMatch(/^ARC-Seal: i=2; cv=fail;/);
});

test.each([
  ["a chain without a verdict", set(1, "none"), "none"],
  ["a message without a chain but with a verdict", "", "pass"],
  ["a chain with a set that lacks its seal", set(1, "none").replace(/^ARC-Seal.*\r\n/, ""), "pass"],
  ["a chain with a duplicate set", set(1, "none") + set(1, "none"), "pass"],
  ["a chain with a gap", set(1, "none") + set(3), "pass"],
  ["a chain that already ended as failed", set(2, "fail") + set(1, "none"), "fail"],
  ["a chain of fifty sets", Array.from({ length: 50 }, (_, at) => set(at + 1)).join(""), "pass"],
] as const)("nothing is added to %s", async (_, chain, status) => {
  expect(await seal(chain, status)).toBe("");
});
