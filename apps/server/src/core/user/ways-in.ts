/** What signs in to an account, and which of it may be removed. Decides, does nothing. */
import type { RemovableWay, RemovalDecision, User } from "./user.ts";

/** E-mail and password are one way. An e-mail without a password is none: it leads in only by way of a new password. */
type WayIn = "password" | RemovableWay;

type Account = Pick<User, "email" | "passwordHash" | "walletAddress" | "googleId" | "googleIssuer">;

/** @param issuer whose sign-ins this server takes; `null`: federated sign-in is off, and a linked account leads nowhere */
export function waysIn(account: Account, issuer: string | null): WayIn[] {
  const { email, passwordHash, walletAddress, googleId, googleIssuer } = account;
  return [
    ...(email !== null && passwordHash !== null ? ["password" as const] : []),
    ...(walletAddress !== null ? ["wallet" as const] : []),
    ...(googleId !== null && issuer !== null && googleIssuer === issuer ? ["google" as const] : []),
  ];
}

/** @param way what is to be removed; it may be one that leads nowhere any more */
export function decideRemoval(account: Account, way: RemovableWay, issuer: string | null): RemovalDecision {
  if ((way === "wallet" ? account.walletAddress : account.googleId) === null) return "missing";
  return waysIn(account, issuer).some((it) => it !== way) ? "removed" : "last";
}

/** What the account is shown as once the way is gone. */
export function authMethodWithout(account: Account, way: RemovableWay): User["authMethod"] {
  if (account.email !== null) return "email";
  return way === "wallet" ? "google" : "wallet";
}
