/** Which key records hold a key, and for which signatures. */
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { keyFor, readKeyRecord } from "./key-record.ts";

const spki = { type: "spki", format: "der" } as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey;
const ed = generateKeyPairSync("ed25519").publicKey;
const p = `p=${rsa.export(spki).toString("base64")}`;
const edKey = ed.export(spki).subarray(-32).toString("base64");

/** @returns a public key with a random modulus; nobody has its private half */
function rsaKey(bits: number, exponent: Buffer): string {
  const n = Buffer.concat([Buffer.of(0x80), randomBytes(bits / 8 - 2), Buffer.of(1)]).toString("base64url");
  const key = createPublicKey({ key: { kty: "RSA", n, e: exponent.toString("base64url") }, format: "jwk" });
  return `p=${key.export(spki).toString("base64")}`;
}

const exponent = Buffer.of(1, 0, 1);

test.each<[string, string, string]>([
  ["the usual form", `v=DKIM1; k=rsa; ${p}`, "rsa"],
  ["only the key", p, "rsa"],
  ["white space and folds in it", `v=DKIM1;\r\n ${p.replace(/(.{30})/g, "$1 ")}`, "rsa"],
  ["an RSAPublicKey", `p=${rsa.export({ type: "pkcs1", format: "der" }).toString("base64")}`, "rsa"],
  ["an Ed25519 key", `k=ed25519; p=${edKey}`, "ed25519"],
  ["no padding", `k=ed25519; p=${edKey.replace("=", "")}`, "ed25519"],
  ["tags in other case, unknown ones and repeated ones", `V=dkim1; X=1; K=rsa; p=AAAA; ${p};;`, "rsa"],
  ["a hash that fits", `h=sha1:sha256; ${p}`, "rsa"],
  ["mail among its services", `s=chat:email; ${p}`, "rsa"],
  ["nothing", "", "invalid public key"],
  ["no key, since it was revoked", "v=DKIM1; p=", "invalid public key"],
  ["what is no base64", "p=a*b=", "invalid public key"],
  ["too much padding", "p=AAAA====", "invalid public key"],
  ["another version", `v=DKIM2; ${p}`, "unknown key version"],
  ["a test mode", `t=y; ${p}`, "key in test mode"],
  ["a test mode among other flags", `t=x : Y; ${p}`, "key in test mode"],
  ["a strict flag", `t=s; ${p}`, "domain mismatch"],
  ["other flags", `t=x:yes:sy; ${p}`, "rsa"],
  ["a test mode and no key", "t=y; p=", "invalid public key"],
  ["another service", `s=chat; ${p}`, "key not for email"],
  ["another hash", `h=sha1; ${p}`, "inappropriate hash algorithm"],
  ["a key of another kind than it says", `k=ed25519; ${p}`, "unknown key type"],
  ["what is no key", "p=AAAA", "unknown key type"],
  [
    "a key of a kind that is not used",
    `p=${generateKeyPairSync("x25519").publicKey.export(spki).toString("base64")}`,
    "unknown key type",
  ],
  ["a key of 768 bits", rsaKey(768, exponent), "key too short"],
  ["a key of 4,096 bits", rsaKey(4096, exponent), "rsa"],
  ["a key of 5,120 bits", rsaKey(5120, exponent), "invalid public key"],
  ["an exponent of 33 bits", rsaKey(2048, Buffer.of(1, 0, 0, 0, 1)), "invalid public key"],
])("a record with %s gives: %s", (_, text, expected) => {
  const found = keyFor(readKeyRecord(text), { hash: "sha256", isForSubdomain: true });
  expect(typeof found === "string" ? found : found.type).toBe(expected);
});
