/** Adds, changes and deletes rows of an account's checklist. */
import { checklistMessages, limits } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { ChecklistChange, NewChecklistRow } from "./checklist.ts";

type ChecklistDeps = Pick<CoreDeps, "checklist" | "rateLimits" | "limitRules" | "clock">;

/**
 * Adds sites to the checklist.
 * @returns the number of rows added
 * @throws AppError `rate_limited`; `invalid` if the checklist would exceed its maximum number of rows
 */
export async function addToChecklist(
  deps: ChecklistDeps,
  { userId, rows }: { userId: string; rows: readonly NewChecklistRow[] },
): Promise<number> {
  await takeLimit(deps, "checklist_add", { userId });
  const added = await deps.checklist.add(userId, rows, limits.checklistMax);
  if (added !== "full") return added;
  const message = checklistMessages.full;
  throw new AppError("invalid", { message, errors: { rows: [message] } });
}

/**
 * Ticks off checklist rows, sets their alias or removes them.
 * @throws AppError `rate_limited`
 */
export async function changeChecklist(
  deps: ChecklistDeps,
  { userId, changes }: { userId: string; changes: readonly ChecklistChange[] },
): Promise<number> {
  await takeLimit(deps, "checklist_change", { userId });
  return deps.checklist.change(userId, changes);
}

/** Deletes the whole checklist. @throws AppError `rate_limited` */
export async function deleteChecklist(deps: ChecklistDeps, userId: string): Promise<void> {
  await takeLimit(deps, "checklist_change", { userId });
  await deps.checklist.clear(userId);
}
