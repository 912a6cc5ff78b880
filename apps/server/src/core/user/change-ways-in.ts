/** Linking a wallet to an account, and removing a wallet or a Google account from it. */
import { waysInMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken, requireFreshProof } from "../login-session.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { takeWalletProof, type WalletProof } from "../wallet/take-wallet-proof.ts";
import type { RemovableWay, User } from "./user.ts";

/** The account and the session token that a request comes with. */
interface Asker {
  userId: string;
  token: string;
}

type LinkDeps = Pick<CoreDeps, "users" | "loginSessions" | "walletChallenges" | "rateLimits" | "limitRules" | "clock">;

/**
 * Links a wallet to the account.
 * @throws AppError `proof_needed`, `wallet_unproven`, `way_in_taken`, `rate_limited`; `invalid` when the account has a
 * wallet already
 */
export async function linkWallet(
  deps: LinkDeps,
  { userId, token, proof, clientAddress }: Asker & { proof: WalletProof; clientAddress: string },
): Promise<User> {
  await requireFreshProof(deps, token);
  await takeLimit(deps, "secret_change", { userId });
  await takeWalletProof(deps, { proof, browserToken: token, clientAddress }, "link");
  const result = await deps.users.linkWallet(userId, proof.walletAddress);
  if (result === "taken") throw new AppError("way_in_taken", { message: waysInMessages.walletTaken });
  if (result === "has_one") throw new AppError("invalid", { message: waysInMessages.hasWallet });
  return await foundAgain(deps, userId);
}

type RemoveDeps = Pick<CoreDeps, "users" | "loginSessions" | "federatedIssuer" | "rateLimits" | "limitRules" | "clock">;

/**
 * Removes a wallet or Google account and ends every other session.
 * @throws AppError `proof_needed`, `last_way_in`, `rate_limited`; `invalid` when none is linked
 */
export async function removeWay(
  deps: RemoveDeps,
  { userId, token, way }: Asker & { way: RemovableWay },
): Promise<User> {
  await requireFreshProof(deps, token);
  await takeLimit(deps, "secret_change", { userId });
  const issuer = deps.federatedIssuer?.issuer ?? null;
  const result = await deps.users.removeWay(userId, { way, issuer, keepSession: hashSessionToken(token) });
  if (result === "last") throw new AppError("last_way_in");
  if (result === "missing")
    throw new AppError("invalid", { message: way === "wallet" ? waysInMessages.noWallet : waysInMessages.noGoogle });
  return await foundAgain(deps, userId);
}

async function foundAgain({ users }: Pick<CoreDeps, "users">, userId: string): Promise<User> {
  const user = await users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  return user;
}
