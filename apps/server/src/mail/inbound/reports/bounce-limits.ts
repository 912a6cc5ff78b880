/**
 * Limits what bounces may trigger. The mailbox' host and its reader know a bounce address, and may send any number of
 * reports to it: those beyond these limits are accepted without effect. `sender` is below the reports that `delivery-
 * reports.ts` sends to one address a day, so that bounces never use up those.
 */
import { hash } from "node:crypto";
import { partOfRule } from "../../../limits/process-part.ts";
import { type BucketRule, TokenBuckets } from "../../../limits/token-buckets.ts";
import { type Clock, type Random, steadyMs } from "../../../runtime/ports.ts";

const DAY_SECONDS = 86_400;

const rules = {
  /** One in six hours. */
  aliasNotice: { max: 1, windowSeconds: DAY_SECONDS / 4 },
  accountNotice: { max: 30, windowSeconds: DAY_SECONDS },
  /** Reports to one sender about one alias. */
  pair: { max: 3, windowSeconds: DAY_SECONDS },
  /** Reports to one sender. */
  sender: { max: 5, windowSeconds: DAY_SECONDS },
  alias: { max: 10, windowSeconds: DAY_SECONDS },
  account: { max: 40, windowSeconds: DAY_SECONDS },
} as const satisfies Record<string, BucketRule>;

type RuleName = keyof typeof rules;

/** Maximum keys remembered per rule, some 2 MiB when full. */
const CAPACITY = 20_000;

export interface BouncedMail {
  aliasId: string;
  userId: string;
  sender: string;
}

interface BounceLimitsParts {
  clock: Clock;
  random: Random;
  /** Key of the hashes by which senders are counted; default: a random one. */
  hashKey?: Buffer;
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

  /** @returns false, counting nothing, when a limit on notices to the owner is reached */
  takeNotice({ aliasId, userId }: Omit<BouncedMail, "sender">): boolean {
    return this.#takeAll([
      ["aliasNotice", aliasId],
      ["accountNotice", userId],
    ]);
  }

  /** @returns false, counting nothing, when a limit on reports to the sender is reached */
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
