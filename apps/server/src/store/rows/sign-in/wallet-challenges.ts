/** Challenges of sign-in by wallet: rows of `one_time_token` that live five minutes. */
import type { OfferedChallenge, WalletChallengeStore } from "../../../core/wallet/wallet-challenge.ts";
import type { StoreContext } from "../../store-context.ts";
import { anonymousTokens, OPEN_MAX } from "./anonymous-tokens.ts";

export function walletChallengeStore(context: StoreContext, openMax = OPEN_MAX): WalletChallengeStore {
  return anonymousTokens<OfferedChallenge>(context, { kind: "wallet", openMax });
}
