import { signInMessage, walletStatement } from "@kauke/contract";
import { makeWalletKey, proveWallet } from "@kauke/testkit/wallet-key";
import { expect, test } from "vitest";
import { isProven, newChallenge } from "./wallet-proof.ts";
import { toBase58 } from "./wallet-signature.ts";

const challenge = newChallenge("00", {
  origin: "https://kauke.example:8443",
  now: new Date("2026-11-22T09:00:00Z"),
  statement: walletStatement,
});
const { nonce, ...offered } = challenge;

test("the text to sign contains the host with its port", () => {
  expect(challenge).toMatchObject({ domain: "kauke.example:8443", uri: "https://kauke.example:8443" });
});

test("a proof is valid only for the address that the challenge was made for", () => {
  const key = makeWalletKey();
  const proof = proveWallet(key, challenge);
  expect(isProven(proof, { ...offered, walletAddress: key.address })).toBe(true);
  expect(isProven(proof, { ...offered, walletAddress: makeWalletKey().address })).toBe(false);
});

test("a key of small order has no valid proof, even if it had a challenge", () => {
  const neutral = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
  const walletAddress = toBase58(neutral);
  const signedMessage = signInMessage(challenge, walletAddress);
  // The second signature is valid for libraries that accept keys of small order: R is the neutral element and S is 0.
  for (const bytes of [Buffer.alloc(64), Buffer.concat([neutral, Buffer.alloc(32)])]) {
    const proof = { walletAddress, nonce, signedMessage, signature: bytes.toString("base64") };
    expect(isProven(proof, { ...offered, walletAddress })).toBe(false);
  }
});
