/** Counts requests against named limits. A network's limit also counts its block, but not requests that it refuses. */

import type { LimitName, RateLimitRules } from "../limits/named-limits.ts";
import { clientBlock, isIpv6Network } from "../limits/party.ts";
import type { RateLimitResult, RateLimitRule, RateLimitStore, RateLimitSubject } from "../limits/rate.ts";
import type { Clock } from "../runtime/ports.ts";
import { AppError } from "./app-error.ts";

/** A block's limit as a multiple of a network's: a /24 may be a university, a /48 may be 256 homes. */
const blockMultiple = { ipv4: 16, ipv6: 8 } as const;

export interface LimitDeps {
  limitRules: RateLimitRules;
  clock: Clock;
  rateLimits: Pick<RateLimitStore, "take" | "takeAll" | "takeSpaced" | "giveBack" | "clear">;
}

/** @throws AppError `rate_limited` with `resetAt` when the named limit is exceeded */
export async function takeLimit(deps: LimitDeps, name: LimitName, subject: RateLimitSubject): Promise<void> {
  refuseUnless(await countTry(deps, name, subject), deps, name);
}

/** Counts as `weight` requests, all or none, so that a smaller one may still fit. @throws AppError `rate_limited` */
export async function takeWeightedLimit(
  deps: LimitDeps,
  name: LimitName,
  { weight, ...subject }: RateLimitSubject & { weight: number },
): Promise<void> {
  refuseUnless(await countTry(deps, name, subject, weight), deps, name);
}

function refuseUnless(result: RateLimitResult | null, { limitRules }: LimitDeps, name: LimitName): void {
  if (result === null || limitRules === null || result.allowed) return;
  throw new AppError("rate_limited", { message: limitRules[name].message, resetAt: result.resetAt });
}

/** Like `takeLimit`. @returns `null` within the limit, otherwise when the next request is allowed */
export async function tryLimit(deps: LimitDeps, name: LimitName, subject: RateLimitSubject): Promise<Date | null> {
  const result = await countTry(deps, name, subject);
  return result === null || result.allowed ? null : result.resetAt;
}

export async function giveBackLimit(
  deps: LimitDeps,
  name: LimitName,
  { weight = 1, ...subject }: RateLimitSubject & { weight?: number },
): Promise<void> {
  if (deps.limitRules !== null) await deps.rateLimits.giveBack(deps.limitRules[name].action, subject, weight);
}

/** Resets the subject's count, e.g. after a right password. */
export async function forgetLimit(deps: LimitDeps, name: LimitName, subject: RateLimitSubject): Promise<void> {
  if (deps.limitRules !== null) await deps.rateLimits.clear(deps.limitRules[name].action, subject);
}

/** Also counts the block. @returns the first exceeded rule's result, or the last one's; `null` while limits are off */
async function countTry(
  { limitRules, rateLimits, clock }: LimitDeps,
  name: LimitName,
  subject: RateLimitSubject,
  weight?: number,
): Promise<RateLimitResult | null> {
  if (limitRules === null) return null;
  const rule = limitRules[name];
  const now = clock.now();
  if ("free" in rule) return rateLimits.takeSpaced(rule, subject, now);
  const count = (by: RateLimitRule, party: RateLimitSubject) =>
    weight === undefined ? rateLimits.take(by, party, now) : rateLimits.takeAll(by, party, now, weight);
  const own = await count(rule, subject);
  const { ipAddress } = subject;
  const isNetworkAlone = ipAddress !== undefined && subject.userId === undefined && subject.key === undefined;
  if (!isNetworkAlone || !own.allowed) return own;
  return count(blockRule(rule, ipAddress), { ipAddress: blockKey(ipAddress) });
}

function blockRule(rule: RateLimitRule, network: string): RateLimitRule {
  return { ...rule, max: rule.max * (isIpv6Network(network) ? blockMultiple.ipv6 : blockMultiple.ipv4) };
}

/** E.g. `1.2.3/24` or `2001:db8:1/48`; the suffix tells it from every network's key. */
const blockKey = (network: string): string => `${clientBlock(network)}${isIpv6Network(network) ? "/48" : "/24"}`;
