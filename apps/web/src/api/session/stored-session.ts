/**
 * What the browser stores about a sign-in (specification sections 3 and 4): `walletAddress`, `user`, `authMethod`.
 * Never a token: the session itself is an HttpOnly cookie.
 */
import type { AuthMethod, UserWire } from "@kauke/contract";

type Storage = Pick<globalThis.Storage, "setItem" | "removeItem">;

/** Sign-in method to store: `email` if the account has an e-mail, else `wallet` if it has a wallet, else `google`. */
export function authMethodOf(user: Pick<UserWire, "email" | "walletAddress">): AuthMethod {
  if (user.email) return "email";
  return user.walletAddress ? "wallet" : "google";
}

export function clearSession(storage: Storage = localStorage): void {
  for (const key of ["walletAddress", "user", "authMethod"]) storage.removeItem(key);
}

export function storeSession(user: UserWire, storage: Storage = localStorage): void {
  const { email, walletAddress, authMethod, balance } = user;
  storage.setItem("user", JSON.stringify({ email, walletAddress, authMethod, balance }));
  storage.setItem("authMethod", authMethodOf(user));
  if (walletAddress) storage.setItem("walletAddress", walletAddress);
  else storage.removeItem("walletAddress");
}
