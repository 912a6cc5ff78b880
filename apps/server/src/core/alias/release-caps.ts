/**
 * How many released addresses are reserved for their former owners at a time. Beyond the cap of an account, the deletion
 * of a used alias has to wait; an unused alias, made by an import, is deleted without a reservation. A used address is
 * always reserved.
 */
import { aliasMessages, limits } from "@kauke/contract";
import { AppError } from "../app-error.ts";

export interface ReleaseCaps {
  account: number;
  /** Reservations from one network beyond which no address of an unused alias is reserved. */
  network: number;
  block: number;
}

export const releaseCaps: ReleaseCaps = { account: limits.releasedMax, network: 4000, block: 16_000 };

/** @param until when the account may release the next used address */
export function releaseHasToWait(until: Date): AppError {
  return new AppError("rate_limited", { message: aliasMessages.releasedMany, resetAt: until });
}

/**
 * Number of addresses of unused aliases that are reserved besides the used ones, all of which are reserved.
 * @param reserved current number of reservations of account, network and block; 0 where the network is unknown
 */
export function unusedToReserve(
  released: { used: number; unused: number },
  reserved: ReleaseCaps,
  caps: ReleaseCaps,
): number {
  const parties = ["account", "network", "block"] as const;
  const room = parties.map((party) => caps[party] - reserved[party] - released.used);
  return Math.max(0, Math.min(released.unused, ...room));
}
