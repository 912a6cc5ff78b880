import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";

/** Revokes an API key. @throws AppError `not_found`, `rate_limited` */
export async function deleteApiKey(
  deps: Pick<CoreDeps, "apiKeys" | "rateLimits" | "limitRules" | "clock">,
  { userId, keyId }: { userId: string; keyId: string },
): Promise<void> {
  await takeLimit(deps, "secret_change", { userId });
  if (!(await deps.apiKeys.deleteById(userId, keyId)))
    throw new AppError("not_found", { message: "API key not found" });
}
