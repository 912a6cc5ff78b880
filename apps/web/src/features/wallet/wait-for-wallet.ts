/**
 * Waits for a wallet, which may never respond: its window was closed, or its extension removed. Each wait ends after
 * the lifetime of a challenge, or when the user cancels. The wallet itself can't be stopped; a later response is
 * dropped.
 */
import { WALLET_CHALLENGE_SECONDS } from "@kauke/contract";
import { WalletRefusal } from "./prove-wallet.ts";

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
