/** Has a wallet sign the server's challenge. Any fault of the wallet, and the user's refusal, is a `WalletRefusal`. */
import { signInMessage, WALLET_CHALLENGE_SECONDS, type WalletBody, type WalletChallenge } from "@kauke/contract";
import { featureOf, isSolana, type StandardWallet, type WalletAccount } from "./wallet-standard.ts";

/** A wallet failed or its user refused. The wallet's own message is dropped, since it must not be shown as ours. */
export class WalletRefusal extends Error {
  override name = "WalletRefusal";
}

/** Asks the wallet to connect to this page, and returns its Solana account. @throws WalletRefusal */
export function connectWallet(wallet: StandardWallet): Promise<WalletAccount> {
  return asRefusal(async () => {
    const answer = await featureOf(wallet, "standard:connect")?.connect();
    return answer?.accounts.find(isSolana);
  });
}

/**
 * Uses `solana:signIn` if the wallet has it, because then the wallet can verify the requesting site; otherwise has it
 * sign the same text as a message.
 * @throws WalletRefusal
 */
export function signChallenge(
  wallet: StandardWallet,
  account: WalletAccount,
  challenge: WalletChallenge,
): Promise<Required<WalletBody>> {
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

/** Decodes without dropping anything: a byte order mark is part of what was signed. */
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
 * Waits for a wallet, which may never respond: its window was closed, or its extension removed. Each wait ends after
 * the lifetime of a challenge, or when the user cancels. The wallet itself can't be stopped; a later response is
 * dropped.
 */

/**
 * Makes one request to a wallet and waits for its response.
 * @param givenUp aborted when the user cancels; no request is started after that
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
