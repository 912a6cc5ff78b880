import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { RateLimitResult, RateLimitSubject } from "./rate-limit.ts";
import { type LimitName, limitMessages } from "./rate-limit-rules.ts";

type LimitDeps = Pick<CoreDeps, "rateLimits" | "limitRules" | "clock">;

/**
 * Counts one try of the subject against the named limit.
 * @throws AppError `rate_limited` with `resetAt` when it does not fit
 */
export async function takeLimit(deps: LimitDeps, name: LimitName, subject: RateLimitSubject): Promise<void> {
  const result = await countTry(deps, name, subject);
  if (result === null || result.allowed) return;
  throw new AppError("rate_limited", { message: limitMessages[name], resetAt: result.resetAt });
}

/** Forgets the subject's tries: it has shown that it may. */
export async function forgetLimit(deps: LimitDeps, name: LimitName, subject: RateLimitSubject): Promise<void> {
  if (deps.limitRules !== null) await deps.rateLimits.clear(deps.limitRules[name].action, subject);
}

async function countTry(deps: LimitDeps, name: LimitName, subject: RateLimitSubject): Promise<RateLimitResult | null> {
  if (deps.limitRules === null) return null;
  const rule = deps.limitRules[name];
  const now = deps.clock.now();
  return "free" in rule ? deps.rateLimits.takeSpaced(rule, subject, now) : deps.rateLimits.take(rule, subject, now);
}
