import type { WalletChallenge } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { statementOf, type WalletUse } from "./take-wallet-proof.ts";
import { challengeHash, newChallenge } from "./wallet-challenge.ts";
import { walletKey } from "./wallet-signature.ts";

export interface ChallengeRequest {
  walletAddress: string;
  /** Token of the anonymous cookie that this browser has or is about to get. */
  browserToken: string;
  origin: string;
  clientAddress: string;
}

type OfferDeps = Pick<CoreDeps, "walletChallenges" | "random" | "clock" | "rateLimits" | "limitRules">;

/**
 * Makes and stores a challenge.
 * @throws AppError `wallet_unproven` when the wallet address is invalid; `rate_limited`
 */
export async function newOffer(
  deps: OfferDeps,
  { walletAddress, browserToken, origin, clientAddress }: ChallengeRequest,
  use: WalletUse,
): Promise<WalletChallenge> {
  await takeLimit(deps, "wallet_ip", { ipAddress: clientAddress });
  if (walletKey(walletAddress) === null) throw new AppError("wallet_unproven");
  const nonce = deps.random.bytes(16).toString("hex");
  const challenge = newChallenge(nonce, { origin, now: deps.clock.now(), statement: statementOf[use] });
  const { nonce: _, ...offered } = challenge;
  const terms = { expiresAt: new Date(challenge.expirationTime), clientAddress };
  await deps.walletChallenges.keep(challengeHash(nonce, browserToken), { ...offered, walletAddress }, terms);
  return challenge;
}

/**
 * First step of a wallet sign-in. An address alone proves nothing, so this always throws; the error contains the text
 * to sign.
 * @throws AppError `wallet_unproven` always, with a challenge if the address is valid; `rate_limited`
 */
export async function offerChallenge(deps: OfferDeps, input: ChallengeRequest): Promise<never> {
  throw new AppError("wallet_unproven", { challenge: await newOffer(deps, input, "sign-in") });
}
