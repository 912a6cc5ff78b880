/** Second step of Sign-In With Solana: finds or creates the account of the address that signed the challenge. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { newUser, type User } from "../user/user.ts";
import { takeWalletProof, type WalletAttempt, type WalletProof } from "./take-wallet-proof.ts";

type SignInDeps = Pick<CoreDeps, "users" | "walletChallenges" | "random" | "clock" | "rateLimits" | "limitRules">;

/**
 * Signs in with a signed challenge, which is used up even if the proof is wrong. The first sign-in of an address
 * creates its account.
 * @throws AppError `wallet_unproven`, `rate_limited`
 */
export async function signInWithWallet(deps: SignInDeps, attempt: WalletAttempt): Promise<User> {
  const { proof, clientAddress } = attempt;
  await takeWalletProof(deps, attempt, "sign-in");
  return (await deps.users.findByWallet(proof.walletAddress)) ?? (await createAccount(deps, proof, clientAddress));
}

/** Creates the account of a wallet. It counts as a registration, since anybody can make any number of keys. */
async function createAccount(deps: SignInDeps, { walletAddress }: WalletProof, clientAddress: string): Promise<User> {
  await takeLimit(deps, "register", { ipAddress: clientAddress });
  const user = newUser(deps, { authMethod: "wallet", walletAddress });
  if (await deps.users.insertIfFree(user, clientAddress)) return user;
  const account = await deps.users.findByWallet(walletAddress);
  // A concurrent sign-in created the account, and it was deleted right after.
  if (account === null) throw new AppError("busy");
  return account;
}
