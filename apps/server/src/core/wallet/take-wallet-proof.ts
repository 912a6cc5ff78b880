/**
 * Checks a wallet's signature of what it was offered (Sign-In With Solana). Nothing of the client is parsed: the text is built anew
 * from what was offered, and the key is the address itself.
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
  /** `null`: this browser was never offered anything. */
  browserToken: string | null;
  clientAddress: string;
}

/** What a signature is for. Each has its own statement, which the wallet shows; one signed for another does not count. */
export type WalletUse = "sign-in" | "prove" | "link";

export const statementOf: Record<WalletUse, string> = { "sign-in": walletStatement, ...walletStatements };

type ProofDeps = Pick<CoreDeps, "walletChallenges" | "clock" | "rateLimits" | "limitRules">;

/** Takes the challenge whether the proof is good or not. @throws AppError `wallet_unproven`, `rate_limited` */
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

/** Pure. */
export function isProven(proof: WalletProof, { walletAddress, ...offered }: OfferedChallenge): boolean {
  const key = walletKey(walletAddress);
  const signature = readSignature(proof.signature);
  if (key === null || signature === null || proof.walletAddress !== walletAddress) return false;
  const text = signInMessage({ ...offered, nonce: proof.nonce }, walletAddress);
  return proof.signedMessage === text && isSignedBy(key, Buffer.from(text, "utf8"), signature);
}
