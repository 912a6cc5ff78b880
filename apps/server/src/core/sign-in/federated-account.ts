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
  /**
   * A new account. `isConfirmed`, whether its e-mail counts as confirmed, is true only if the issuer hosts the mailbox.
   */
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
  // The subject decides alone. Ann, for example, may have changed her address at Google: the account is still hers.
  if (bySubject !== null) return { kind: "sign-in", userId: bySubject.id };
  // Refused: the issuer has not verified the address, so anybody may have typed it in.
  if (email === null) return { kind: "refuse", reason: "unverified" };
  // First sign-in of this person. An address that the issuer verified once, perhaps long ago, may belong to somebody
  // else by now, so it counts as unconfirmed, like one typed at registration.
  if (byEmail === null) return { kind: "create", email, isConfirmed: isEmailHosted };
  // Refused: another Google account is linked. If ann@firm.example was Ann's and is Bob's now, the account stays Ann's.
  if (byEmail.googleId !== null) return { kind: "refuse", reason: "taken" };
  // Refused: Ann removed Google from her account, so a matching address alone must not link a Google account again.
  if (byEmail.isGoogleRemoved) return { kind: "refuse", reason: "taken" };
  // Refused: Mallory may have registered Ann's address with a password of his own, waiting for her to sign in.
  if (byEmail.emailConfirmedAt === null) return { kind: "refuse", reason: "exists" };
  // Refused: Google verified an external address years ago; whoever confirmed it on this server may be its present
  // owner.
  if (!isEmailHosted) return { kind: "refuse", reason: "taken" };
  return { kind: "link", userId: byEmail.id, email };
}
