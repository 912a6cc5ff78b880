/**
 * Plants canaries in sign-in by wallet: address, nonce, signature and both cookies, of a sign-in, a refused proof and
 * an abandoned challenge.
 */
import type { WalletChallenge } from "@kauke/contract";
import { makeWalletKey, proveWallet } from "../wallet-key.ts";
import type { Canaries } from "./canary-scan.ts";

export type SendWallet = (
  body: unknown,
  cookie: string | null,
) => Promise<{
  status: number;
  text: string;
  /** Cookie that was set, as `name=value`. */
  cookie: string | null;
}>;

/** @returns the statuses of a proof, of its repetition, and of a forged proof */
export async function plantWallets(canaries: Canaries, send: SendWallet): Promise<number[]> {
  const key = makeWalletKey();
  canaries.watch("wallet-address", key.address);
  const ask = async (label: string, walletAddress: string) => {
    const { text, cookie } = await send({ walletAddress }, null);
    const { challenge } = JSON.parse(text) as { challenge: WalletChallenge };
    canaries.watch(`${label}-nonce`, challenge.nonce);
    canaries.watch(`${label}-cookie`, cookie?.split("=")[1] ?? "");
    return { challenge, cookie };
  };
  const good = await ask("wallet", key.address);
  const proof = proveWallet(key, good.challenge);
  canaries.watch("wallet-signature", proof.signature);
  const signedIn = await send(proof, good.cookie);
  canaries.watch("wallet-session", signedIn.cookie?.split("=")[1] ?? "");
  const again = await send(proof, good.cookie);

  const stranger = makeWalletKey();
  canaries.watch("stranger-address", stranger.address);
  const offered = await ask("stranger", stranger.address);
  const forged = proveWallet(key, offered.challenge);
  canaries.watch("forged-signature", forged.signature);
  const refused = await send({ ...forged, walletAddress: stranger.address }, offered.cookie);
  // This challenge is left open, so that its row exists when the database is searched.
  await ask("open", stranger.address);
  return [signedIn.status, again.status, refused.status];
}
