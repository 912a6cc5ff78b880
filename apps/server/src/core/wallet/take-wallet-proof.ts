/**
 * Checks a wallet's signature of its challenge (Sign-In With Solana). Nothing from the client is parsed: the signed
 * text is built again from the stored challenge, and the public key is the address itself.
 */
import { signInMessage, walletStatement, walletStatements } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { challengeHash, type OfferedChallenge } from "./wallet-challenge.ts";
import { isSignedBy, readSignature, walletKey } from "./wallet-signature.ts";

export interface WalletProof {
  walletAddress: string;
  nonce: string;
  signedMessage: string;
  signature: string;
}

export interface WalletAttempt {
  proof: WalletProof;
  /** Token of the anonymous cookie; `null` when this browser has none and so was never given a challenge. */
  browserToken: string | null;
  clientAddress: string;
}

/**
 * Purpose of a signature. Each has its own statement, which the wallet shows; a signature for another purpose is not
 * valid.
 */
export type WalletUse = "sign-in" | "prove" | "link";

export const statementOf: Record<WalletUse, string> = { "sign-in": walletStatement, ...walletStatements };

type ProofDeps = Pick<CoreDeps, "walletChallenges" | "clock" | "rateLimits" | "limitRules">;

/**
 * Checks a proof and uses up its challenge even if the proof is wrong.
 * @throws AppError `wallet_unproven`, `rate_limited`
 */
export async function takeWalletProof(
  deps: ProofDeps,
  { proof, browserToken, clientAddress }: WalletAttempt,
  use: WalletUse,
): Promise<void> {
  await takeLimit(deps, "wallet_ip", { ipAddress: clientAddress });
  const offered =
    browserToken === null ? null : await deps.walletChallenges.take(challengeHash(proof.nonce, browserToken));
  if (offered === null || offered.statement !== statementOf[use] || !isProven(proof, offered))
    throw new AppError("wallet_unproven");
}

/** Whether the signature fits the challenge. Pure. */
export function isProven(proof: WalletProof, { walletAddress, ...offered }: OfferedChallenge): boolean {
  const key = walletKey(walletAddress);
  const signature = readSignature(proof.signature);
  if (key === null || signature === null || proof.walletAddress !== walletAddress) return false;
  const text = signInMessage({ ...offered, nonce: proof.nonce }, walletAddress);
  return proof.signedMessage === text && isSignedBy(key, Buffer.from(text, "utf8"), signature);
}
