/**
 * The second step of Sign-In With Solana. Nothing of the client is parsed: the text is built anew from what was offered, and
 * the key is the address itself.
 */
import { signInMessage } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { newUser } from "../user/new-user.ts";
import type { User } from "../user/user.ts";
import { challengeHash, type OfferedChallenge } from "./wallet-challenge.ts";
import { isSignedBy, readSignature, walletKey } from "./wallet-signature.ts";

export interface WalletProof {
  walletAddress: string;
  nonce: string;
  signedMessage: string;
  signature: string;
}

export interface WalletAttempt {
  proof: WalletProof;
  /** `null`: this browser was never offered anything. */
  browserToken: string | null;
  clientAddress: string;
}

type SignInDeps = Pick<CoreDeps, "users" | "walletChallenges" | "random" | "clock" | "rateLimits" | "limitRules">;

/**
 * Takes the challenge whether the proof is good or not. The first sign-in of an address makes its account.
 * @throws AppError `wallet_unproven`, `rate_limited`
 */
export async function signInWithWallet(deps: SignInDeps, attempt: WalletAttempt): Promise<User> {
  const { proof, browserToken, clientAddress } = attempt;
  await takeLimit(deps, "wallet_ip", { ipAddress: clientAddress });
  const offered =
    browserToken === null ? null : await deps.walletChallenges.take(challengeHash(proof.nonce, browserToken));
  if (offered === null || !isProven(proof, offered)) throw new AppError("wallet_unproven");
  return (await deps.users.findByWallet(proof.walletAddress)) ?? (await createAccount(deps, proof, clientAddress));
}

/** Pure. */
export function isProven(proof: WalletProof, { walletAddress, ...offered }: OfferedChallenge): boolean {
  const key = walletKey(walletAddress);
  const signature = readSignature(proof.signature);
  if (key === null || signature === null || proof.walletAddress !== walletAddress) return false;
  const text = signInMessage({ ...offered, nonce: proof.nonce }, walletAddress);
  return proof.signedMessage === text && isSignedBy(key, Buffer.from(text, "utf8"), signature);
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
