/** A challenge that waits for its signature, stored by a hash of the nonce and the browser's token together. */
import { createHash } from "node:crypto";
import { WALLET_CHALLENGE_SECONDS, type WalletChallenge } from "@kauke/contract";
import type { TokenTerms } from "../connection/token-terms.ts";

/** A stored challenge and the address it was made for. The nonce is not stored; the client sends it with the proof. */
export interface OfferedChallenge extends Omit<WalletChallenge, "nonce"> {
  walletAddress: string;
}

export interface WalletChallengeStore {
  /**
   * Stores a challenge and deletes expired ones. When too many are stored, evicts the oldest of the network that has
   * most.
   */
  keep(challengeHash: Buffer, offered: OfferedChallenge, terms: TokenTerms): Promise<void>;
  /**
   * Removes and returns a challenge; only one of two concurrent calls gets it.
   * @returns `null` when unknown, used or expired
   */
  take(challengeHash: Buffer): Promise<OfferedChallenge | null>;
}

/**
 * Makes the challenge that a wallet has to sign.
 * @param origin public base URL of this server, e.g. `https://kauke.example`
 */
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
    expirationTime: new Date(now.getTime() + WALLET_CHALLENGE_SECONDS * 1000).toISOString(),
  };
}

/**
 * Hash under which a challenge is stored.
 * @param browserToken token of the browser's anonymous cookie: whoever knows only the nonce cannot use the challenge
 */
export function challengeHash(nonce: string, browserToken: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([nonce, browserToken]))
    .digest();
}
