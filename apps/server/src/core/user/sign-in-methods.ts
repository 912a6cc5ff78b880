import { waysInMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken, requireFreshProof } from "../login-session.ts";
import { takeLimit } from "../take-limit.ts";
import { takeWalletProof, type WalletProof } from "../wallet/wallet-proof.ts";
import { findAccount, type RemovableWay, type RemovalDecision, type User } from "./user.ts";

type WayIn = "password" | RemovableWay;

type Account = Pick<User, "email" | "passwordHash" | "walletAddress" | "googleId" | "googleIssuer">;

/** @param issuer OpenID issuer of this server; `null`: federated sign-in is off */
export function waysIn(account: Account, issuer: string | null): WayIn[] {
  const { email, passwordHash, walletAddress, googleId, googleIssuer } = account;
  return [
    ...(email !== null && passwordHash !== null ? ["password" as const] : []),
    ...(walletAddress !== null ? ["wallet" as const] : []),
    ...(googleId !== null && issuer !== null && googleIssuer === issuer ? ["google" as const] : []),
  ];
}

/** Refuses to remove the last method that can sign in. @param way may be unable to sign in */
export function decideRemoval(account: Account, way: RemovableWay, issuer: string | null): RemovalDecision {
  if ((way === "wallet" ? account.walletAddress : account.googleId) === null) return "missing";
  return waysIn(account, issuer).some((other) => other !== way) ? "removed" : "last";
}

export function authMethodWithout(account: Account, way: RemovableWay): User["authMethod"] {
  if (account.email !== null) return "email";
  return way === "wallet" ? "google" : "wallet";
}

interface Asker {
  userId: string;
  token: string;
}

type LinkDeps = Pick<CoreDeps, "users" | "loginSessions" | "walletChallenges" | "rateLimits" | "limitRules" | "clock">;

/** @throws AppError `proof_needed`, `wallet_unproven`, `way_in_taken`, `rate_limited`; `invalid` if one is linked */
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
  return await findAccount(deps, userId);
}

type RemoveDeps = Pick<CoreDeps, "users" | "loginSessions" | "federatedIssuer" | "rateLimits" | "limitRules" | "clock">;

/** Also ends other sessions. @throws AppError `proof_needed`, `last_way_in`, `rate_limited` */
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
  return await findAccount(deps, userId);
}
