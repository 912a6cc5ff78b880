/**
 * Limits what bounces may trigger. A mailbox's host and its reader know the bounce address, and may send any number of
 * reports to it: those over a limit are accepted without effect. A sender gets fewer of these reports a day than
 * `delivery-reports.ts` sends to one address, so that bounces never use up reports about mail that failed here.
 */

import { hash } from "node:crypto";
import { type BucketRule, spendAll, TokenBuckets } from "../../../limits/rate.ts";
import { bounds, partOfRule } from "../../../limits/table.ts";
import { type Clock, type Random, steadyMs } from "../../../runtime/ports.ts";

const DAY_SECONDS = 86_400;
const { bounceNotices, bounceReports } = bounds;

const aDay = (max: number): BucketRule => ({ max, windowSeconds: DAY_SECONDS });

const rules = {
  aliasNotice: { max: bounceNotices.alias, windowSeconds: bounceNotices.aliasMs / 1000 },
  accountNotice: aDay(bounceNotices.account),
  pair: aDay(bounceReports.pair),
  sender: aDay(bounceReports.sender),
  alias: aDay(bounceReports.alias),
  account: aDay(bounceReports.account),
};

type RuleName = keyof typeof rules;

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
      new TokenBuckets(partOfRule(rule, processes), bounds.rateBuckets.keys),
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

  #takeAll(keys: readonly (readonly [RuleName, string])[]): boolean {
    const counted = keys.map(([name, key]) => [this.#buckets[name], key] as const);
    return spendAll(counted, steadyMs(this.#clock));
  }
}
