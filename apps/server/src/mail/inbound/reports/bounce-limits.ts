/**
 * Limits what bounces may trigger. A bounce address is known to the mailbox' host and to its reader,
 * and either may send any number of reports to it: reports beyond these limits are accepted without effect. The limit
 * per sender is below the number of reports that `delivery-reports.ts` sends to one address a day, so that bounces
 * never use up reports about mail that failed here.
 */
import { hash } from "node:crypto";
import { partOfRule } from "../../../limits/process-part.ts";
import { type BucketRule, TokenBuckets } from "../../../limits/token-buckets.ts";
import { type Clock, type Random, steadyMs } from "../../../runtime/ports.ts";

const DAY_SECONDS = 86_400;

const rules = {
  /** Limit of notices about one alias: one in six hours. */
  aliasNotice: { max: 1, windowSeconds: DAY_SECONDS / 4 },
  /** Daily limit of notices to one account. */
  accountNotice: { max: 30, windowSeconds: DAY_SECONDS },
  /** Daily limit of delivery reports to one sender about one alias. */
  pair: { max: 3, windowSeconds: DAY_SECONDS },
  /** Daily limit of delivery reports to one sender. */
  sender: { max: 5, windowSeconds: DAY_SECONDS },
  /** Daily limit of delivery reports about one alias. */
  alias: { max: 10, windowSeconds: DAY_SECONDS },
  /** Daily limit of delivery reports about all aliases of one account. */
  account: { max: 40, windowSeconds: DAY_SECONDS },
} as const satisfies Record<string, BucketRule>;

type RuleName = keyof typeof rules;

/** Maximum keys remembered per rule, some 2 MiB when full. */
const CAPACITY = 20_000;

export interface BouncedMail {
  aliasId: string;
  userId: string;
  /** Envelope sender of the forwarded message. */
  sender: string;
}

interface BounceLimitsParts {
  clock: Clock;
  random: Random;
  /** Key of the hashes under which senders are counted; default: a random one. */
  hashKey?: Buffer;
  /** Number of processes among which the limits are divided. */
  processes?: number | undefined;
}

export class BounceLimits {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #buckets: Record<RuleName, TokenBuckets>;

  constructor({ clock, random, hashKey, processes = 1 }: BounceLimitsParts) {
    this.#clock = clock;
    this.#key = (hashKey ?? random.bytes(32)).toString("base64");
    const buckets = Object.entries(rules).map(([name, rule]) => [
      name,
      new TokenBuckets(partOfRule(rule, processes), CAPACITY),
    ]);
    this.#buckets = Object.fromEntries(buckets) as Record<RuleName, TokenBuckets>;
  }

  /** Counts a notice to the owner. @returns false, counting nothing, when a limit is reached */
  takeNotice({ aliasId, userId }: Omit<BouncedMail, "sender">): boolean {
    return this.#takeAll([
      ["aliasNotice", aliasId],
      ["accountNotice", userId],
    ]);
  }

  /** Counts a report to the original sender. @returns false, counting nothing, when a limit is reached */
  takeReport({ aliasId, userId, sender }: BouncedMail): boolean {
    const to = hash("sha256", this.#key + sender.toLowerCase(), "latin1").slice(0, 16);
    return this.#takeAll([
      ["pair", `${aliasId}${to}`],
      ["sender", to],
      ["alias", aliasId],
      ["account", userId],
    ]);
  }

  /** Spends one token in every bucket, or none when one of them is empty. */
  #takeAll(keys: readonly (readonly [RuleName, string])[]): boolean {
    const now = steadyMs(this.#clock);
    if (keys.some(([name, key]) => this.#buckets[name].isEmpty(key, now))) return false;
    for (const [name, key] of keys) this.#buckets[name].spend(key, now);
    return true;
  }
}
