/** Keyed hashes by which accounts are looked up, and by which those of one block of addresses are found to be so. */

import type { FederatedName } from "../../../core/user/user.ts";
import { clientBlock, isPublicBlock } from "../../../limits/party.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

export const emailIndex = (keys: ServerKeys, email: string): Buffer =>
  keys.blindIndex("user.email", email.normalize("NFC").toLowerCase());

export const walletIndex = (keys: ServerKeys, walletAddress: string): Buffer =>
  keys.blindIndex("user.wallet", walletAddress);

export const googleNameOf = (subject: string, issuer = ""): FederatedName => ({ issuer, subject });

/**
 * @param clientAddress address that an account is registered from
 * @returns `null` for an address that stands for nobody, such as that of a proxy on this machine or network
 */
export function registeredFromIndex(keys: Pick<ServerKeys, "hmac">, clientAddress: string): Buffer | null {
  const block = clientBlock(clientAddress);
  return isPublicBlock(block) ? keys.hmac("abuse", `registered from ${block}`) : null;
}

/** @returns the opaque text by which the mail path compares accounts; `undefined` when it is unknown */
export const registeredFromText = (index: Buffer | null): string | undefined => index?.toString("base64").slice(0, 16);

export function googleIndex(keys: ServerKeys, { issuer, subject }: FederatedName): Buffer {
  return keys.blindIndex("user.google", `${issuer}\0${subject}`);
}
