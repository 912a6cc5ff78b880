import * as z from "zod";
import { product } from "../limits.ts";
import { inviteText } from "./auth.ts";

export const walletMessages = {
  addressRequired: "Wallet address is required",
  failed: "Wallet authentication failed",
} as const;

/** A challenge lacks the wallet's address, which the client supplies. */
export const walletChallenge = z.object({
  domain: z.string(),
  uri: z.string(),
  version: z.literal("1"),
  chainId: z.literal("mainnet"),
  statement: z.string(),
  /** A nonce is 16 random bytes in hexadecimal, accepted once. */
  nonce: z.string(),
  issuedAt: z.iso.datetime(),
  expirationTime: z.iso.datetime(),
});
export type WalletChallenge = z.infer<typeof walletChallenge>;

export const walletStatement = `Sign in to ${product.name}. Nothing is paid and no transaction is made.`;

/** Statements by purpose: different, so that a signature for one purpose is not accepted for another. */
export const walletStatements = {
  prove: `Sign in anew to change your account at ${product.name}. Nothing is paid and no transaction is made.`,
  link: `Let this wallet sign in to your account at ${product.name}. Nothing is paid and no transaction is made.`,
} as const;

export const WALLET_CHALLENGE_SECONDS = 5 * 60;

const proofPart = z.string("This must be a text").optional();

/** The wallet's address alone requests a challenge; with the other fields it completes one. */
export const walletBody = z.object({
  walletAddress: z.string(walletMessages.addressRequired).min(1, walletMessages.addressRequired),
  nonce: proofPart,
  signedMessage: proofPart,
  /** A signature has 64 bytes, as base58 or base64. */
  signature: proofPart,
  /** Needed by a new wallet while registration is by invitation. */
  invite: inviteText.optional(),
});
export type WalletBody = z.infer<typeof walletBody>;

/** Text that the wallet signs. Wallets build it from the same fields (ERC-4361), so it must match byte for byte. */
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
