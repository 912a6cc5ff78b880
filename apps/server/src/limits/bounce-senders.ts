import { partOfRule } from "./process-part.ts";
import type { BucketRule } from "./token-buckets.ts";

export interface NewBounceSenders {
  alias: BucketRule;
  account: BucketRule;
}

/**
 * Limits on senders to be remembered because their address is too long for a bounce address. Large mailing services
 * write from a new address each time, so this is a row of 200 bytes for each of their messages. A row lives for 22 days:
 * an account has at most some 23,000 of them.
 */
export const newBounceSenders: NewBounceSenders = {
  alias: { max: 500, windowSeconds: 86_400 },
  account: { max: 1000, windowSeconds: 86_400 },
};

/** The limits of one of several processes. */
export const newBounceSendersOf = (processes: number): NewBounceSenders => ({
  alias: partOfRule(newBounceSenders.alias, processes),
  account: partOfRule(newBounceSenders.account, processes),
});
