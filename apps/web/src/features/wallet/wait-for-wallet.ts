/**
 * A wallet may never respond: its window was closed, or its extension removed. The wait ends when the challenge has
 * expired, or when the user cancels. The wallet itself can't be stopped; a later response is dropped.
 */
import { walletChallengeSeconds } from "@kauke/contract";
import { WalletRefusal } from "./prove-wallet.ts";

/** @param givenUp aborted when the user cancels; no request is started after that @throws WalletRefusal */
export async function waitForWallet<T>(ask: () => Promise<T>, givenUp: AbortSignal): Promise<T> {
  if (givenUp.aborted) throw new WalletRefusal("the person gave up");
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new WalletRefusal("the person gave up"));
  givenUp.addEventListener("abort", giveUp);
  const timer = setTimeout(() => reject(new WalletRefusal("the time is over")), walletChallengeSeconds * 1000);
  try {
    return await Promise.race([ask(), over]);
  } finally {
    clearTimeout(timer);
    givenUp.removeEventListener("abort", giveUp);
  }
}
