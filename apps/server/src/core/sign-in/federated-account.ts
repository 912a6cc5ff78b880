/**
 * Which account a federated sign-in leads to (docs/decisions/2026-11-22-federated-accounts.md). The subject alone decides where it
 * is known; an address leads to an account only where both sides have shown that it is theirs. Decides, does nothing.
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
  /** Whose subject this is. */
  bySubject: Pick<User, "id"> | null;
  /** Whose e-mail it is; looked up for a verified address only. */
  byEmail: Pick<User, "id" | "emailConfirmedAt" | "googleId" | "isGoogleRemoved"> | null;
}

export function decideAccount(
  { email, isEmailHosted }: Pick<FederatedPerson, "email" | "isEmailHosted">,
  { bySubject, byEmail }: KnownAccounts,
): AccountDecision {
  // e.g. Ann, who has changed her address at Google since: still Ann.
  if (bySubject !== null) return { kind: "sign-in", userId: bySubject.id };
  // e.g. an address somebody only typed at the issuer: it could be anybody's.
  if (email === null) return { kind: "refuse", reason: "unverified" };
  // e.g. the first visit. An address that was checked once, perhaps long ago, may be somebody else's by now: as good as one typed
  // at registration, until it is proven here.
  if (byEmail === null) return { kind: "create", email, isConfirmed: isEmailHosted };
  // e.g. ann@firm.example was Ann's and is Bob's now: Ann's account stays Ann's.
  if (byEmail.googleId !== null) return { kind: "refuse", reason: "taken" };
  // e.g. Ann has removed Google from her account: an address alone must not bring it back.
  if (byEmail.isGoogleRemoved) return { kind: "refuse", reason: "taken" };
  // e.g. Mallory registered Ann's address with a password of his own and waits for her.
  if (byEmail.emailConfirmedAt === null) return { kind: "refuse", reason: "exists" };
  // e.g. Google checked a foreign address years ago; who confirmed it here may be its holder now.
  if (!isEmailHosted) return { kind: "refuse", reason: "taken" };
  return { kind: "link", userId: byEmail.id, email };
}
