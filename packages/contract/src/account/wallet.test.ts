import { expect, test } from "vitest";
import { signInMessage, type WalletChallenge, walletBody, walletMessages } from "./wallet.ts";

const challenge: WalletChallenge = {
  domain: "kauke.example:8443",
  uri: "https://kauke.example:8443",
  version: "1",
  chainId: "mainnet",
  statement: "Sign in to Kauke.",
  nonce: "00112233445566778899aabbccddeeff",
  issuedAt: "2026-11-22T09:00:00.000Z",
  expirationTime: "2026-11-22T09:05:00.000Z",
};
const address = "GPo3Hyze6UhF6FoDuBpcGhqLkcqtHLEMSyhqbnLFGRqn";

const lines = [
  "kauke.example:8443 wants you to sign in with your Solana account:",
  address,
  "",
  "Sign in to Kauke.",
  "",
  "URI: https://kauke.example:8443",
  "Version: 1",
  "Chain ID: mainnet",
  "Nonce: 00112233445566778899aabbccddeeff",
  "Issued At: 2026-11-22T09:00:00.000Z",
  "Expiration Time: 2026-11-22T09:05:00.000Z",
];

test("the signed text is the one that wallets build from the same fields, without a trailing line end", () => {
  expect(signInMessage(challenge, address)).toBe(lines.join("\n"));
});

test.each([
  ["domain", "other.example", 0, "other.example wants you to sign in with your Solana account:"],
  ["statement", "Another one.", 3, "Another one."],
  ["uri", "https://other.example", 5, "URI: https://other.example"],
  ["nonce", "ffff", 8, "Nonce: ffff"],
  ["issuedAt", "2027-01-01T00:00:00.000Z", 9, "Issued At: 2027-01-01T00:00:00.000Z"],
  ["expirationTime", "2027-01-01T00:05:00.000Z", 10, "Expiration Time: 2027-01-01T00:05:00.000Z"],
])("%s is on a line of its own and nowhere else", (field, value, at, line) => {
  const changed = signInMessage({ ...challenge, [field]: value }, address).split("\n");
  expect(changed).toEqual(lines.with(at, line));
});

test("the wallet address is required, the signature and its fields are not", () => {
  expect(walletBody.safeParse({ walletAddress: address }).success).toBe(true);
  for (const body of [{}, { walletAddress: "" }, { walletAddress: 1 }, { walletAddress: null }])
    expect(walletBody.safeParse(body).error?.issues[0]?.message).toBe(walletMessages.addressRequired);
  expect(walletBody.safeParse({ walletAddress: address, nonce: 1 }).success).toBe(false);
});
