import { type CreateLabelBody, labelMessages, limits } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { Label } from "./label.ts";

/** Creates a label. @throws AppError `invalid`, also for a name that is taken; `rate_limited` */
export async function createLabel(
  deps: Pick<CoreDeps, "labels" | "random" | "clock" | "rateLimits" | "limitRules">,
  { userId, ...input }: CreateLabelBody & { userId: string },
): Promise<Label> {
  await takeLimit(deps, "alias_change", { userId });
  const label = { id: deps.random.uuid(), userId, ...input, createdAt: deps.clock.now() };
  const refused = await deps.labels.insert(label, limits.labelsMax);
  if (refused === "name_taken") throw fieldError("name", labelMessages.nameTaken);
  if (refused === "too_many") throw new AppError("invalid", { message: labelMessages.tooMany });
  return label;
}
