import { createHash } from "node:crypto";
import {
  signInMessage,
  WALLET_CHALLENGE_SECONDS,
  type WalletChallenge,
  walletStatement,
  walletStatements,
} from "@kauke/contract";
import type { Random } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import { type RegistrationDeps, requireAdmission } from "../registration.ts";
import type { TokenTerms } from "../sign-in/federated-issuer.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import { newUser, type User, type UserStore } from "../user/user.ts";
import { isSignedBy, readSignature, walletKey } from "./wallet-signature.ts";

export interface ChallengeRequest {
  walletAddress: string;
  browserToken: string;
  origin: string;
  clientAddress: string;
}

type ProofDeps = LimitDeps & { walletChallenges: WalletChallengeStore };
type OfferDeps = ProofDeps & { random: Random };

/** @throws AppError `wallet_unproven` for an invalid wallet address; `rate_limited` */
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

/** Always throws: an address proves nothing. @throws AppError `wallet_unproven` with a challenge, `rate_limited` */
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
  /** Token of the anonymous cookie; `null` when this browser was never given a challenge. */
  browserToken: string | null;
  clientAddress: string;
  invite?: string | undefined;
}

/** The wallet shows each purpose's statement; a signature for another purpose is not valid. */
type WalletUse = "sign-in" | "prove" | "link";

const statementOf: Record<WalletUse, string> = { "sign-in": walletStatement, ...walletStatements };

/**
 * Rebuilds the signed text from the stored challenge, which even a wrong signature uses up; parses no client text.
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

export function isProven(proof: WalletProof, { walletAddress, ...offered }: OfferedChallenge): boolean {
  const key = walletKey(walletAddress);
  const signature = readSignature(proof.signature);
  if (key === null || signature === null || proof.walletAddress !== walletAddress) return false;
  const text = signInMessage({ ...offered, nonce: proof.nonce }, walletAddress);
  return proof.signedMessage === text && isSignedBy(key, Buffer.from(text, "utf8"), signature);
}

type SignInDeps = OfferDeps & RegistrationDeps & { users: UserStore };

/** @throws AppError `wallet_unproven`, `registration_closed`, `invite_required`, `rate_limited` */
export async function signInWithWallet(deps: SignInDeps, attempt: WalletAttempt): Promise<User> {
  await takeWalletProof(deps, attempt, "sign-in");
  return (await deps.users.findByWallet(attempt.proof.walletAddress)) ?? (await createAccount(deps, attempt));
}

/** A wallet's first sign-in counts as a registration, since anybody can make any number of keys. */
async function createAccount(
  deps: SignInDeps,
  { proof: { walletAddress }, clientAddress, invite: given }: WalletAttempt,
): Promise<User> {
  await takeLimit(deps, "register", { ipAddress: clientAddress });
  const invite = await requireAdmission(deps, { invite: given, email: null });
  const user = newUser(deps, { authMethod: "wallet", walletAddress });
  if (await deps.users.insertIfFree(user, { clientAddress, invite })) return user;
  const account = await deps.users.findByWallet(walletAddress);
  // The invite was used by somebody else, or a concurrent sign-in's account was deleted right after its creation.
  if (account === null) throw new AppError(invite === undefined ? "busy" : "invite_required");
  return account;
}

export interface OfferedChallenge extends Omit<WalletChallenge, "nonce"> {
  walletAddress: string;
}

export interface WalletChallengeStore {
  /** Above the maximum, evicts the oldest challenge of the network with the most. */
  keep(challengeHash: Buffer, offered: OfferedChallenge, terms: TokenTerms): Promise<void>;
  /** Only one of concurrent calls gets the challenge. @returns `null` when unknown, used or expired */
  take(challengeHash: Buffer): Promise<OfferedChallenge | null>;
}

/** @param origin public base URL, e.g. `https://kauke.example` */
export function newChallenge(
  nonce: string,
  { origin, now, statement }: { origin: string; now: Date; statement: string },
): WalletChallenge {
  return {
    domain: new URL(origin).host,
    uri: origin,
    version: "1",
    chainId: "mainnet",
    statement,
    nonce,
    issuedAt: now.toISOString(),
    expirationTime: new Date(now.getTime() + WALLET_CHALLENGE_SECONDS * 1000).toISOString(),
  };
}

/** Key of a stored challenge. @param browserToken makes the nonce alone useless */
export function challengeHash(nonce: string, browserToken: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([nonce, browserToken]))
    .digest();
}
