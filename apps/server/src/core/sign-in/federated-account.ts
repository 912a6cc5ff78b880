/**
 * Decides which account a federated sign-in leads to (docs/decisions/2026-11-22-federated-accounts.md). A known subject
 * signs in to its account; otherwise an e-mail address leads to an account only if both the issuer and the account have
 * verified it. Pure.
 */

import type { User } from "../user/user.ts";
import type { FederatedPerson } from "./federated-issuer.ts";

export type AccountDecision =
  | { kind: "sign-in"; userId: string }
  | { kind: "link"; userId: string; email: string }
  /** `isConfirmed` is true only if the issuer hosts the mailbox itself. */
  | { kind: "create"; email: string; isConfirmed: boolean }
  | { kind: "refuse"; reason: "unverified" | "exists" | "taken" };

export interface KnownAccounts {
  /** Account that has this subject. */
  bySubject: Pick<User, "id"> | null;
  /** Account that has this e-mail; looked up for a verified address only. */
  byEmail: Pick<User, "id" | "emailConfirmedAt" | "googleId" | "isGoogleRemoved"> | null;
}

export function decideAccount(
  { email, isEmailHosted }: Pick<FederatedPerson, "email" | "isEmailHosted">,
  { bySubject, byEmail }: KnownAccounts,
): AccountDecision {
  // e.g. Ann has changed her address at Google since: the subject is still hers.
  if (bySubject !== null) return { kind: "sign-in", userId: bySubject.id };
  // e.g. an address that was only typed in at the issuer and may be anybody's.
  if (email === null) return { kind: "refuse", reason: "unverified" };
  // e.g. the first sign-in. An address that the issuer verified once, perhaps long ago, may belong to somebody else by
  // now, so it counts as unconfirmed, like one typed at registration.
  if (byEmail === null) return { kind: "create", email, isConfirmed: isEmailHosted };
  // e.g. ann@firm.example was Ann's and is Bob's now: the account stays Ann's.
  if (byEmail.googleId !== null) return { kind: "refuse", reason: "taken" };
  // e.g. Ann removed Google from her account: a matching address alone must not link it again.
  if (byEmail.isGoogleRemoved) return { kind: "refuse", reason: "taken" };
  // e.g. Mallory registered Ann's address with a password of his own, waiting for her to sign in.
  if (byEmail.emailConfirmedAt === null) return { kind: "refuse", reason: "exists" };
  // e.g. Google verified an external address years ago; whoever confirmed it here may be its present owner.
  if (!isEmailHosted) return { kind: "refuse", reason: "taken" };
  return { kind: "link", userId: byEmail.id, email };
}
