/** Every name that `KAUKE_LIMITS` may hold: a mistyped one would leave its limit as it was, unnoticed. */
import { mailLimitNames } from "./mail-limit-rules.ts";
import { rateLimitNames } from "./rate-limit-rules.ts";

export const limitNames: readonly string[] = [...rateLimitNames, ...mailLimitNames];
