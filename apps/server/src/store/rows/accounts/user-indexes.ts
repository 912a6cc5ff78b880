/** Keyed hashes by which accounts are looked up. */
import type { FederatedName } from "../../../core/user/user.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

export const emailIndex = (keys: ServerKeys, email: string): Buffer =>
  keys.blindIndex("user.email", email.normalize("NFC").toLowerCase());

export const walletIndex = (keys: ServerKeys, walletAddress: string): Buffer =>
  keys.blindIndex("user.wallet", walletAddress);

export const googleNameOf = (subject: string, issuer = ""): FederatedName => ({ issuer, subject });

export function googleIndex(keys: ServerKeys, { issuer, subject }: FederatedName): Buffer {
  return keys.blindIndex("user.google", `${issuer}\0${subject}`);
}
