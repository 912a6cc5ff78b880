/** Sites that still have an old address of the user, each with the alias that replaces it. */
import { type ChecklistChange, checklistMessages, limits, type NewChecklistRow } from "@kauke/contract";
import { AppError } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export interface ChecklistRow {
  /** Id of the sealed document that holds the row, a dot, and the row's number in it. */
  id: string;
  /** Host name of the site, or the name of its entry in a password manager. */
  site: string;
  oldAddress: string;
  aliasId: string | null;
  done: boolean;
}

export interface ChecklistStore {
  list(userId: string): Promise<ChecklistRow[]>;
  /** Skips rows already listed, ignoring letter case. @returns number added; `full`, adding none, above `max` rows */
  add(userId: string, rows: readonly NewChecklistRow[], max: number): Promise<number | "full">;
  change(userId: string, changes: readonly ChecklistChange[]): Promise<number>;
  clear(userId: string): Promise<void>;
}

type ChecklistDeps = LimitDeps & { checklist: ChecklistStore };

/** @returns number of rows added @throws AppError `rate_limited`; `invalid` if the checklist would be too long */
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

/** @throws AppError `rate_limited` */
export async function changeChecklist(
  deps: ChecklistDeps,
  { userId, changes }: { userId: string; changes: readonly ChecklistChange[] },
): Promise<number> {
  await takeLimit(deps, "checklist_change", { userId });
  return deps.checklist.change(userId, changes);
}

/** @throws AppError `rate_limited` */
export async function deleteChecklist(deps: ChecklistDeps, userId: string): Promise<void> {
  await takeLimit(deps, "checklist_change", { userId });
  await deps.checklist.clear(userId);
}
