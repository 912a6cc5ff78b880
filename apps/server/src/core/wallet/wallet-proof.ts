/** Signs in with a wallet: offers challenges, and checks the signatures that answer them. */
import { signInMessage, type WalletChallenge, walletStatement, walletStatements } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import { newUser, type User } from "../user/user.ts";
import { challengeHash, newChallenge, type OfferedChallenge } from "./wallet-challenge.ts";
import { isSignedBy, readSignature, walletKey } from "./wallet-signature.ts";

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

export interface WalletProof {
  walletAddress: string;
  nonce: string;
  signedMessage: string;
  signature: string;
}

export interface WalletAttempt {
  proof: WalletProof;
  /** Token of the anonymous cookie; `null` when this browser has none and so was never given a challenge. */
  browserToken: string | null;
  clientAddress: string;
}

/**
 * Purpose of a signature. Each has its own statement, which the wallet shows; a signature for another purpose is not
 * valid.
 */
type WalletUse = "sign-in" | "prove" | "link";

const statementOf: Record<WalletUse, string> = { "sign-in": walletStatement, ...walletStatements };

type ProofDeps = Pick<CoreDeps, "walletChallenges" | "clock" | "rateLimits" | "limitRules">;

/**
 * Checks a wallet's signature of its challenge (Sign-In With Solana), and uses the challenge up even if the signature is
 * wrong. Nothing from the client is parsed: the signed text is built again from the stored challenge, and the public key
 * is the address itself.
 * @throws AppError `wallet_unproven`, `rate_limited`
 */
export async function takeWalletProof(
  deps: ProofDeps,
  { proof, browserToken, clientAddress }: WalletAttempt,
  use: WalletUse,
): Promise<void> {
  await takeLimit(deps, "wallet_ip", { ipAddress: clientAddress });
  const offered =
    browserToken === null ? null : await deps.walletChallenges.take(challengeHash(proof.nonce, browserToken));
  if (offered === null || offered.statement !== statementOf[use] || !isProven(proof, offered))
    throw new AppError("wallet_unproven");
}

/** Whether the signature fits the challenge. Pure. */
export function isProven(proof: WalletProof, { walletAddress, ...offered }: OfferedChallenge): boolean {
  const key = walletKey(walletAddress);
  const signature = readSignature(proof.signature);
  if (key === null || signature === null || proof.walletAddress !== walletAddress) return false;
  const text = signInMessage({ ...offered, nonce: proof.nonce }, walletAddress);
  return proof.signedMessage === text && isSignedBy(key, Buffer.from(text, "utf8"), signature);
}

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
