/**
 * Plants canaries in changes of sign-in methods: a new e-mail address waiting for confirmation, a linked wallet,
 * abandoned flows.
 */
import type { WalletChallenge } from "@kauke/contract";
import { makeWalletKey, proveWallet } from "../wallet-key.ts";
import type { Canaries } from "./canary-scan.ts";

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Starts changes of sign-in methods with canaries. @param call calls the API as a person who has just signed in */
export async function plantWaysIn(canaries: Canaries, call: Call): Promise<void> {
  const email = `${canaries.word("new-email")}@${canaries.word("new-email-domain")}.example`;
  await call("POST", "/api/account/email/message", { email });
  const key = makeWalletKey();
  canaries.watch("linked-wallet", key.address);
  const ask = async (label: string) => {
    const wish = { walletAddress: key.address, purpose: "link" };
    const { challenge } = await call<{ challenge: WalletChallenge }>("POST", "/api/account/wallet/challenge", wish);
    canaries.watch(label, challenge.nonce);
    return challenge;
  };
  const proof = proveWallet(key, await ask("link-nonce"));
  canaries.watch("link-signature", proof.signature);
  await call("POST", "/api/account/wallet", proof);
  // These flows are left open, so that their rows exist when the database is searched.
  await ask("open-link-nonce");
  const { url } = await call<{ url: string }>("POST", "/api/account/google");
  for (const name of ["state", "nonce", "code_challenge"])
    canaries.watch(`link-google-${name}`, new URL(url).searchParams.get(name) ?? "");
}
