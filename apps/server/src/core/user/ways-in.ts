/** Which methods can sign in to an account, and whether one of them may be removed. Pure. */
import type { RemovableWay, RemovalDecision, User } from "./user.ts";

/**
 * E-mail and password together are one method. An e-mail without a password is none: its owner has to set a password
 * first.
 */
type WayIn = "password" | RemovableWay;

type Account = Pick<User, "email" | "passwordHash" | "walletAddress" | "googleId" | "googleIssuer">;

/**
 * The methods that can sign in to an account.
 * @param issuer OpenID issuer that this server accepts; `null`: federated sign-in is off, so a Google account cannot
 * sign in
 */
export function waysIn(account: Account, issuer: string | null): WayIn[] {
  const { email, passwordHash, walletAddress, googleId, googleIssuer } = account;
  return [
    ...(email !== null && passwordHash !== null ? ["password" as const] : []),
    ...(walletAddress !== null ? ["wallet" as const] : []),
    ...(googleId !== null && issuer !== null && googleIssuer === issuer ? ["google" as const] : []),
  ];
}

/**
 * Whether a sign-in method may be removed; the last one that can sign in may not.
 * @param way method to remove, which may itself be unable to sign in by now
 */
export function decideRemoval(account: Account, way: RemovableWay, issuer: string | null): RemovalDecision {
  if ((way === "wallet" ? account.walletAddress : account.googleId) === null) return "missing";
  return waysIn(account, issuer).some((other) => other !== way) ? "removed" : "last";
}

/** The `authMethod` of the account after `way` is removed. */
export function authMethodWithout(account: Account, way: RemovableWay): User["authMethod"] {
  if (account.email !== null) return "email";
  return way === "wallet" ? "google" : "wallet";
}
