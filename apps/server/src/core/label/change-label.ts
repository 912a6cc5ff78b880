import { labelMessages } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { LABEL_NOT_FOUND } from "./delete-label.ts";
import type { Label, LabelChange } from "./label.ts";

/**
 * Renames a label or changes its colour.
 * @throws AppError `not_found`, `invalid` for a name that is taken, `rate_limited`
 */
export async function changeLabel(
  deps: Pick<CoreDeps, "labels" | "clock" | "rateLimits" | "limitRules">,
  { userId, labelId }: { userId: string; labelId: string },
  change: LabelChange,
): Promise<Label> {
  await takeLimit(deps, "alias_change", { userId });
  const changed = await deps.labels.update(userId, labelId, change);
  if (changed === null) throw new AppError("not_found", { message: LABEL_NOT_FOUND });
  if (changed === "name_taken") throw fieldError("name", labelMessages.nameTaken);
  return changed;
}
