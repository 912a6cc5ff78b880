/** What a person reads when the sign-in by wallet did not come about (specification section 8). */
import { walletMessages } from "@kauke/contract";
import { ApiError } from "../../api/api-error.ts";

export const walletNotFound = "Solana wallet not found. Please install Phantom or another Solana wallet.";

/** The server's refusal, but for a limit, which says how long to wait; everything else is the wallet's or the person's. */
export function walletFailureText(error: unknown): string {
  if (!(error instanceof ApiError)) return "Failed to connect wallet";
  return error.rateLimited || error.status === 0 ? error.message : walletMessages.failed;
}
