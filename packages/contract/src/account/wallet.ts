/** Sign-In With Solana: what is offered, what is sent back, and the text that is signed. */
import * as z from "zod";
import { product } from "../limits.ts";

export const walletMessages = {
  addressRequired: "Wallet address is required",
  failed: "Wallet authentication failed",
} as const;

/** What the server offers to be signed. The address is not in it: it is the asker's own. */
export const walletChallenge = z.object({
  /** Host and port people see, e.g. `kauke.example` or `localhost:3000`. */
  domain: z.string(),
  uri: z.string(),
  version: z.literal("1"),
  chainId: z.literal("mainnet"),
  statement: z.string(),
  /** 16 random bytes in hexadecimal; counts once. */
  nonce: z.string(),
  issuedAt: z.iso.datetime(),
  expirationTime: z.iso.datetime(),
});
export type WalletChallenge = z.infer<typeof walletChallenge>;

export const walletStatement = `Sign in to ${product.name}. Nothing is paid and no transaction is made.`;

/** The statements of signatures asked for in Settings. Each differs from the others, so that none counts in another's place. */
export const walletStatements = {
  prove: `Sign in anew to change your account at ${product.name}. Nothing is paid and no transaction is made.`,
  link: `Let this wallet sign in to your account at ${product.name}. Nothing is paid and no transaction is made.`,
} as const;

/** How long a challenge can be answered. */
export const walletChallengeSeconds = 5 * 60;

const proofPart = z.string("This must be a text").optional();

/** The address alone asks for a challenge; with the other three it answers one. */
export const walletBody = z.object({
  walletAddress: z.string(walletMessages.addressRequired).min(1, walletMessages.addressRequired),
  nonce: proofPart,
  /** The text as it was signed. */
  signedMessage: proofPart,
  /** 64 bytes as base58 or base64. */
  signature: proofPart,
});
export type WalletBody = z.infer<typeof walletBody>;

/**
 * The text a wallet signs, byte for byte as wallets build it themselves from the same fields (Sign-In With Solana; its form is
 * that of ERC-4361).
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
