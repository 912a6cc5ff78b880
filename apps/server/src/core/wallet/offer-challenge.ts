import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { challengeHash, newChallenge } from "./wallet-challenge.ts";
import { walletKey } from "./wallet-signature.ts";

export interface ChallengeWish {
  walletAddress: string;
  /** Of the cookie this browser has or is about to get. */
  browserToken: string;
  origin: string;
  clientAddress: string;
}

/**
 * The first step: an address proves nothing, so this is refused in any case, with what the wallet has to sign.
 * @throws AppError `wallet_unproven` always, with a challenge if it is an address; `rate_limited`, `busy`
 */
export async function offerChallenge(
  deps: Pick<CoreDeps, "walletChallenges" | "random" | "clock" | "rateLimits" | "limitRules">,
  { walletAddress, browserToken, origin, clientAddress }: ChallengeWish,
): Promise<never> {
  await takeLimit(deps, "wallet_ip", { ipAddress: clientAddress });
  if (walletKey(walletAddress) === null) throw new AppError("wallet_unproven");
  const challenge = newChallenge(deps.random.bytes(16).toString("hex"), { origin, now: deps.clock.now() });
  const { nonce, ...offered } = challenge;
  const expiresAt = new Date(challenge.expirationTime);
  await deps.walletChallenges.keep(challengeHash(nonce, browserToken), { ...offered, walletAddress }, expiresAt);
  throw new AppError("wallet_unproven", { challenge });
}
