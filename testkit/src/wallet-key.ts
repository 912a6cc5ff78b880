/** Key pair of a Solana wallet: signs challenges as a wallet does, and any other text as an attacker would. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { signInMessage, type WalletChallenge } from "@kauke/contract";
import { toBase58 } from "@kauke/server/core/wallet/wallet-signature";

export interface WalletKey {
  /** Public key in base58. */
  address: string;
  privateKey: KeyObject;
  /** Private key as PKCS #8 in base64, to be imported by a browser. */
  exported: string;
}

export interface SignedChallenge {
  walletAddress: string;
  nonce: string;
  signedMessage: string;
  signature: string;
}

export function makeWalletKey(): WalletKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const exported = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
  return { address: toBase58(raw), privateKey, exported };
}

export function signText(key: WalletKey, text: string): Buffer {
  return sign(null, Buffer.from(text, "utf8"), key.privateKey);
}

/** Signs the offered challenge unchanged. */
export function proveWallet(key: WalletKey, challenge: WalletChallenge): SignedChallenge {
  const signedMessage = signInMessage(challenge, key.address);
  const signature = toBase58(signText(key, signedMessage));
  return { walletAddress: key.address, nonce: challenge.nonce, signedMessage, signature };
}
