/** A challenge while it waits for its signature: kept by a hash that only nonce and browser together give. */
import { createHash } from "node:crypto";
import { type WalletChallenge, walletChallengeSeconds } from "@kauke/contract";
import type { TokenTerms } from "../connection/token-terms.ts";

/** What was offered, and to which address. The nonce is not kept: who answers brings it. */
export interface OfferedChallenge extends Omit<WalletChallenge, "nonce"> {
  walletAddress: string;
}

export interface WalletChallengeStore {
  /** Puts away what has expired on the way. When too many are open, the oldest of the busiest network give way. */
  keep(challengeHash: Buffer, offered: OfferedChallenge, terms: TokenTerms): Promise<void>;
  /** Takes it out for good; of two at the same time one gets it. @returns `null` when unknown, taken or expired */
  take(challengeHash: Buffer): Promise<OfferedChallenge | null>;
}

/** @param origin where people see us, e.g. `https://kauke.example` */
export function newChallenge(
  nonce: string,
  { origin, now, statement }: { origin: string; now: Date; statement: string },
): WalletChallenge {
  return {
    domain: new URL(origin).host,
    uri: origin,
    version: "1",
    chainId: "mainnet",
    statement,
    nonce,
    issuedAt: now.toISOString(),
    expirationTime: new Date(now.getTime() + walletChallengeSeconds * 1000).toISOString(),
  };
}

/** @param browserToken of the anonymous cookie: a nonce seen elsewhere is worth nothing without it */
export function challengeHash(nonce: string, browserToken: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([nonce, browserToken]))
    .digest();
}
