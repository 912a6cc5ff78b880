/**
 * A wallet may never answer: its window was closed, its extension is gone. The waiting ends after the time a challenge is good
 * for, or when the person gives up. The wallet itself can't be stopped; what it gives later is dropped.
 */
import { walletChallengeSeconds } from "@kauke/contract";
import { WalletRefusal } from "./prove-wallet.ts";

/**
 * @param givenUp aborted when the person gives up; then nothing is asked that wasn't asked yet
 * @throws WalletRefusal
 */
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
