/** Sign-In With Solana: the challenge, the response to it, and the text that is signed. */
import * as z from "zod";
import { product } from "../limits.ts";

export const walletMessages = {
  addressRequired: "Wallet address is required",
  failed: "Wallet authentication failed",
} as const;

/** The values the server asks a wallet to sign. The wallet's address is not among them: the client supplies it. */
export const walletChallenge = z.object({
  /** Host and port of the public URL, e.g. `kauke.example` or `localhost:3000`. */
  domain: z.string(),
  uri: z.string(),
  version: z.literal("1"),
  chainId: z.literal("mainnet"),
  statement: z.string(),
  /** Nonce of the challenge: 16 random bytes in hexadecimal; accepted once. */
  nonce: z.string(),
  issuedAt: z.iso.datetime(),
  expirationTime: z.iso.datetime(),
});
export type WalletChallenge = z.infer<typeof walletChallenge>;

export const walletStatement = `Sign in to ${product.name}. Nothing is paid and no transaction is made.`;

/**
 * Statements in the texts that wallets sign for Settings. They differ, so that a signature for one purpose is not
 * accepted for another.
 */
export const walletStatements = {
  prove: `Sign in anew to change your account at ${product.name}. Nothing is paid and no transaction is made.`,
  link: `Let this wallet sign in to your account at ${product.name}. Nothing is paid and no transaction is made.`,
} as const;

/** Seconds during which a challenge can be answered. */
export const WALLET_CHALLENGE_SECONDS = 5 * 60;

const proofPart = z.string("This must be a text").optional();

/** Sign-in by wallet: the address alone requests a challenge; the address with the other three fields answers one. */
export const walletBody = z.object({
  walletAddress: z.string(walletMessages.addressRequired).min(1, walletMessages.addressRequired),
  nonce: proofPart,
  /** The text that the wallet signed, unchanged. */
  signedMessage: proofPart,
  /** Ed25519 signature of 64 bytes, as base58 or base64. */
  signature: proofPart,
});
export type WalletBody = z.infer<typeof walletBody>;

/**
 * The text a wallet signs. Wallets build it from the same fields themselves, so it must match byte for byte (Sign-In
 * With Solana, in the form of ERC-4361).
 */
export function signInMessage(challenge: WalletChallenge, walletAddress: string): string {
  return [
    `${challenge.domain} wants you to sign in with your Solana account:`,
    walletAddress,
    "",
    challenge.statement,
    "",
    `URI: ${challenge.uri}`,
    `Version: ${challenge.version}`,
    `Chain ID: ${challenge.chainId}`,
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt}`,
    `Expiration Time: ${challenge.expirationTime}`,
  ].join("\n");
}
