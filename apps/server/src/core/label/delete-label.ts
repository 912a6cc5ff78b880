import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";

export const LABEL_NOT_FOUND = "Label not found";

/**
 * Deletes a label; the aliases that have it stay.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function deleteLabel(
  deps: Pick<CoreDeps, "labels" | "clock" | "rateLimits" | "limitRules">,
  { userId, labelId }: { userId: string; labelId: string },
): Promise<void> {
  await takeLimit(deps, "alias_change", { userId });
  if (!(await deps.labels.delete(userId, labelId))) throw new AppError("not_found", { message: LABEL_NOT_FOUND });
}
