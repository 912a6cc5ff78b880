/** All names that `KAUKE_LIMITS` may contain, so that a mistyped name is reported instead of ignored. */
import { mailLimitNames } from "./mail-limit-rules.ts";
import { rateLimitNames } from "./rate-limit-rules.ts";

export const limitNames: readonly string[] = [...rateLimitNames, ...mailLimitNames];
