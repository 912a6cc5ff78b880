/** Messages for a failed sign-in with a wallet (specification section 8). */
import { walletMessages } from "@kauke/contract";
import { ApiError } from "../../api/api-error.ts";

export const walletNotFound = "Solana wallet not found. Please install Phantom or another Solana wallet.";

/**
 * Message for a failure. Of the server's own messages only that of a rate limit is shown, which says how long to wait,
 * and that of an unreachable server.
 */
export function walletFailureText(error: unknown): string {
  if (!(error instanceof ApiError)) return "Failed to connect wallet";
  return error.rateLimited || error.status === 0 ? error.message : walletMessages.failed;
}
