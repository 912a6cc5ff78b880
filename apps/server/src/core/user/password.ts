import { signInMessages, waysInMessages } from "@kauke/contract";
import { clientBlock } from "../../limits/party.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken } from "../login-session.ts";
import { hashLinkToken } from "../own-mail.ts";
import { countSignedInTry, verifyCounted } from "../sign-in/login.ts";
import { findMailedLink, type LinkUse, linkOver } from "../sign-in/sign-in-link.ts";
import { takeLimit } from "../take-limit.ts";
import { takeWalletProof, type WalletAttempt } from "../wallet/wallet-proof.ts";
import type { Addressee } from "./account-mail.ts";
import { findAccount, type User } from "./user.ts";

type ChangeDeps = Pick<CoreDeps, "users" | "hasher" | "browserMac" | "rateLimits" | "limitRules" | "clock">;

export interface PasswordChange {
  userId: string;
  currentPassword: string;
  newPassword: string;
  token: string;
  clientAddress: string;
  browser: string | null;
}

/** Counts as a sign-in: a session's thief must not guess. @throws AppError `invalid`, `rate_limited`, `busy` */
export async function changePassword(deps: ChangeDeps, change: PasswordChange): Promise<User> {
  const user = await findAccount(deps, change.userId);
  const { passwordHash: from, email } = user;
  if (from === null || email === null) throw new AppError("invalid", { message: "This account has no password yet." });
  await takeLimit(deps, "secret_change", { userId: user.id });
  const counted = await countSignedInTry(deps, { ...change, email });
  const turn = { party: clientBlock(change.clientAddress), isKnown: true };
  if (!(await verifyCounted(deps, counted, { hash: from, password: change.currentPassword, turn })))
    throw fieldError("currentPassword", signInMessages.currentPasswordWrong);
  const to = await deps.hasher.hash(change.newPassword, turn);
  const keepSession = hashSessionToken(change.token);
  const isChanged = await deps.users.changePassword(user.id, { from, to, keepSession });
  const changed = isChanged ? await deps.users.find(user.id) : null;
  // Another request changed the password during the hashing.
  if (changed === null) throw fieldError("currentPassword", signInMessages.currentPasswordWrong);
  return { ...changed, passwordHash: to };
}

type LinkDeps = Pick<CoreDeps, "accountLinks" | "rateLimits" | "limitRules" | "clock">;

/** Reads a reset link without using it. @throws AppError `not_found`, `rate_limited` */
export function readPasswordReset(deps: LinkDeps, use: LinkUse): Promise<Addressee> {
  return findMailedLink(deps, "reset", use);
}

/** Ends every session. @throws AppError `not_found`, `rate_limited`, `busy` */
export async function resetPassword(
  deps: LinkDeps & Pick<CoreDeps, "users" | "hasher">,
  { password, ...use }: LinkUse & { password: string },
): Promise<{ user: User; addressee: Addressee }> {
  const addressee = await findMailedLink(deps, "reset", use);
  const turn = { party: clientBlock(use.clientAddress), isKnown: true };
  const passwordHash = await deps.hasher.hash(password, turn);
  if (!(await deps.accountLinks.resetPassword(hashLinkToken(use.token), passwordHash))) throw linkOver();
  const user = await deps.users.find(addressee.userId);
  if (user === null) throw new AppError("not_found");
  return { user, addressee };
}

type PasswordDeps = Pick<CoreDeps, "users" | "hasher" | "browserMac" | "rateLimits" | "limitRules" | "clock">;

export interface PasswordProof {
  userId: string;
  password: string;
  clientAddress: string;
  browser: string | null;
}

/** Counts as a sign-in attempt. @throws AppError `invalid` for a wrong or no password, `rate_limited`, `busy` */
export async function proveByPassword(deps: PasswordDeps, proof: PasswordProof): Promise<User> {
  const user = await findAccount(deps, proof.userId);
  const { passwordHash: hash, email } = user;
  if (hash === null || email === null) throw new AppError("invalid", { message: waysInMessages.noPassword });
  const counted = await countSignedInTry(deps, { ...proof, email });
  const turn = { party: clientBlock(proof.clientAddress), isKnown: true };
  if (!(await verifyCounted(deps, counted, { hash, password: proof.password, turn })))
    throw fieldError("password", waysInMessages.passwordWrong);
  return user;
}

type WalletDeps = Pick<CoreDeps, "users" | "walletChallenges" | "rateLimits" | "limitRules" | "clock">;

/** @throws AppError `wallet_unproven`, also for another wallet; `invalid` without a wallet; `rate_limited` */
export async function proveByWallet(
  deps: WalletDeps,
  { userId, ...attempt }: WalletAttempt & { userId: string },
): Promise<User & { walletAddress: string }> {
  const user = await findAccount(deps, userId);
  const { walletAddress } = user;
  if (walletAddress === null) throw new AppError("invalid", { message: waysInMessages.noWallet });
  await takeWalletProof(deps, attempt, "prove");
  if (attempt.proof.walletAddress !== walletAddress) throw new AppError("wallet_unproven");
  return { ...user, walletAddress };
}
