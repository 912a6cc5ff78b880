/** Re-authenticates a signed-in user by the account's password or wallet. The caller then opens a new session. */
import { waysInMessages } from "@kauke/contract";
import { clientBlock } from "../../limits/party.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { countSignedInTry, verifyCounted } from "../sign-in/login.ts";
import { takeWalletProof, type WalletAttempt } from "../wallet/wallet-proof.ts";
import type { User } from "./user.ts";

type PasswordDeps = Pick<CoreDeps, "users" | "hasher" | "browserMac" | "rateLimits" | "limitRules" | "clock">;

export interface PasswordProof {
  userId: string;
  password: string;
  clientAddress: string;
  /** Token of a known browser, see `known-browser.ts`. */
  browser: string | null;
}

/**
 * Checks the account's password. Attempts count against the sign-in limits of this browser or network, as when the
 * password is changed.
 * @returns the account, with the hash that the password matched
 * @throws AppError `invalid` for a wrong password, or when there is none; `rate_limited`, `busy`
 */
export async function proveByPassword(deps: PasswordDeps, proof: PasswordProof): Promise<User> {
  const user = await deps.users.find(proof.userId);
  if (user === null) throw new AppError("not_signed_in");
  const { passwordHash: hash, email } = user;
  if (hash === null || email === null) throw new AppError("invalid", { message: waysInMessages.noPassword });
  const counted = await countSignedInTry(deps, { ...proof, email });
  const turn = { party: clientBlock(proof.clientAddress), isKnown: true };
  if (!(await verifyCounted(deps, counted, { hash, password: proof.password, turn })))
    throw fieldError("password", waysInMessages.passwordWrong);
  return user;
}

type WalletDeps = Pick<CoreDeps, "users" | "walletChallenges" | "rateLimits" | "limitRules" | "clock">;

/**
 * Checks a signature by the account's wallet.
 * @throws AppError `wallet_unproven`, also for another wallet than the account's; `invalid` when the account has no
 * wallet; `rate_limited`
 */
export async function proveByWallet(
  deps: WalletDeps,
  { userId, ...attempt }: WalletAttempt & { userId: string },
): Promise<User & { walletAddress: string }> {
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  const { walletAddress } = user;
  if (walletAddress === null) throw new AppError("invalid", { message: waysInMessages.noWallet });
  await takeWalletProof(deps, attempt, "prove");
  if (attempt.proof.walletAddress !== walletAddress) throw new AppError("wallet_unproven");
  return { ...user, walletAddress };
}
