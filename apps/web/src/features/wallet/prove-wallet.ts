/** Proves that the user has a wallet; any fault of the wallet is a `WalletRefusal`. */
import { signInMessage, WALLET_CHALLENGE_SECONDS, type WalletChallenge, type WalletProofBody } from "@kauke/contract";
import { featureOf, isSolana, type StandardWallet, type WalletAccount } from "./wallet-standard.ts";

/** The wallet's own message is dropped: it must not pass for ours. */
export class WalletRefusal extends Error {
  override name = "WalletRefusal";
}

export function connectWallet(wallet: StandardWallet): Promise<WalletAccount> {
  return asRefusal(async () => {
    const connected = await featureOf(wallet, "standard:connect")?.connect();
    return connected?.accounts.find(isSolana);
  });
}

/** Signs by `solana:signIn`, with which the wallet verifies the site; else signs the text. @throws WalletRefusal */
export function signChallenge(
  wallet: StandardWallet,
  account: WalletAccount,
  challenge: WalletChallenge,
): Promise<WalletProofBody> {
  return asRefusal(async () => {
    const [signed] = await askToSign(wallet, account, challenge);
    if (signed === undefined) return undefined;
    return {
      walletAddress: account.address,
      nonce: challenge.nonce,
      signedMessage: toText(signed.signedMessage),
      signature: btoa(String.fromCharCode(...signed.signature)),
    };
  });
}

async function askToSign(wallet: StandardWallet, account: WalletAccount, challenge: WalletChallenge) {
  const { address } = account;
  const signIn = featureOf(wallet, "solana:signIn");
  if (signIn !== undefined) return signIn.signIn({ ...challenge, address });
  const message = new TextEncoder().encode(signInMessage(challenge, address));
  return (await featureOf(wallet, "solana:signMessage")?.signMessage({ account, message })) ?? [];
}

/** Decodes with the byte order mark, which is part of what was signed. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function asRefusal<T>(work: () => Promise<T | undefined>): Promise<T> {
  try {
    const done = await work();
    if (done !== undefined) return done;
  } catch (cause) {
    throw new WalletRefusal("the wallet failed or its user refused", { cause });
  }
  throw new WalletRefusal("the wallet returned nothing");
}

/**
 * Waits until the challenge expires or Cancel: some wallets never respond. Late responses are dropped.
 * @param givenUp aborted by Cancel
 * @throws WalletRefusal
 */
export async function waitForWallet<T>(ask: () => Promise<T>, givenUp: AbortSignal): Promise<T> {
  if (givenUp.aborted) throw new WalletRefusal("the user cancelled");
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new WalletRefusal("the user cancelled"));
  givenUp.addEventListener("abort", giveUp);
  const timer = setTimeout(
    () => reject(new WalletRefusal("the challenge has expired")),
    WALLET_CHALLENGE_SECONDS * 1000,
  );
  try {
    return await Promise.race([ask(), over]);
  } finally {
    clearTimeout(timer);
    givenUp.removeEventListener("abort", giveUp);
  }
}
