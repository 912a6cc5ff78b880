/** The second step of Sign-In With Solana: a signed challenge leads to the account of its address. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { newUser } from "../user/new-user.ts";
import type { User } from "../user/user.ts";
import { takeWalletProof, type WalletAttempt, type WalletProof } from "./take-wallet-proof.ts";

type SignInDeps = Pick<CoreDeps, "users" | "walletChallenges" | "random" | "clock" | "rateLimits" | "limitRules">;

/**
 * Takes the challenge whether the proof is good or not. The first sign-in of an address makes its account.
 * @throws AppError `wallet_unproven`, `rate_limited`
 */
export async function signInWithWallet(deps: SignInDeps, attempt: WalletAttempt): Promise<User> {
  const { proof, clientAddress } = attempt;
  await takeWalletProof(deps, attempt, "sign-in");
  return (await deps.users.findByWallet(proof.walletAddress)) ?? (await createAccount(deps, proof, clientAddress));
}

/** Counts as a registration: a key costs nothing. */
async function createAccount(deps: SignInDeps, { walletAddress }: WalletProof, clientAddress: string): Promise<User> {
  await takeLimit(deps, "register", { ipAddress: clientAddress });
  const user = newUser(deps, { authMethod: "wallet", walletAddress });
  if (await deps.users.insertIfFree(user)) return user;
  const account = await deps.users.findByWallet(walletAddress);
  // Made by another sign-in and deleted again, all in this moment.
  if (account === null) throw new AppError("busy");
  return account;
}
