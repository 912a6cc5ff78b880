/**
 * The checklist of an account: sites that still have an old address of the user, and the alias that replaces it at each
 * site.
 */
import { checklistMessages, limits } from "@kauke/contract";
import { AppError } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export interface ChecklistRow {
  /** Id of the sealed document that stores the row, a dot, and the number of the row in that document. */
  id: string;
  /** Host name of the site, or the name of the site's entry in a password manager. */
  site: string;
  oldAddress: string;
  /** Id of the alias that replaces the old address. The alias may have been deleted since. */
  aliasId: string | null;
  done: boolean;
}

export type NewChecklistRow = Pick<ChecklistRow, "site" | "oldAddress" | "aliasId">;

export interface ChecklistChange {
  id: string;
  done?: boolean | undefined;
  aliasId?: string | null | undefined;
  remove?: true | undefined;
}

export interface ChecklistStore {
  /** Checklist rows in the order in which they were added. */
  list(userId: string): Promise<ChecklistRow[]>;
  /**
   * Adds the rows that are not on the checklist yet. Rows are equal if site and old address are, whatever their letter
   * case.
   * @returns the number of rows added; `full`, with no row added, if the checklist would have more than `max` rows
   */
  add(userId: string, rows: readonly NewChecklistRow[], max: number): Promise<number | "full">;
  /**
   * Changes rows of the checklist.
   * @returns the number of rows found and changed
   */
  change(userId: string, changes: readonly ChecklistChange[]): Promise<number>;
  clear(userId: string): Promise<void>;
}

type ChecklistDeps = LimitDeps & { checklist: ChecklistStore };

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
