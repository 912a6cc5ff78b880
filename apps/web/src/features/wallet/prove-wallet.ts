/** Has a wallet sign the server's challenge. Whatever a wallet does wrong, and a person's no, is a `WalletRefusal`. */
import { signInMessage, type WalletBody, type WalletChallenge } from "@kauke/contract";
import { featureOf, isSolana, type StandardWallet, type WalletAccount } from "./wallet-standard.ts";

/** What wallets say is not for us to show. */
export class WalletRefusal extends Error {
  override name = "WalletRefusal";
}

/** @throws WalletRefusal */
export function connectWallet(wallet: StandardWallet): Promise<WalletAccount> {
  return asRefusal(async () => {
    const answer = await featureOf(wallet, "standard:connect")?.connect();
    return answer?.accounts.find(isSolana);
  });
}

/**
 * By `solana:signIn` if the wallet has it, which lets it check who asks; else by a signature under the same text.
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

/** Every byte counts, a byte order mark too. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function asRefusal<T>(work: () => Promise<T | undefined>): Promise<T> {
  try {
    const done = await work();
    if (done !== undefined) return done;
  } catch (cause) {
    throw new WalletRefusal("the wallet did not do it", { cause });
  }
  throw new WalletRefusal("the wallet gave nothing");
}
