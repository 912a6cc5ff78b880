/** A label of an account. The alias stores which labels it has. */
import { type CreateLabelBody, type LabelColour, labelMessages, limits } from "@kauke/contract";
import type { Random } from "../runtime/ports.ts";
import { AppError, fieldError } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export interface Label {
  id: string;
  userId: string;
  name: string;
  colour: LabelColour;
  createdAt: Date;
}

type LabelChange = Partial<Pick<Label, "name" | "colour">>;

/**
 * Repository of labels. Names are unique per account, ignoring letter case. Methods that take a `userId` treat another
 * user's label as absent.
 */
export interface LabelStore {
  /** Labels of the account, sorted by name. */
  listForUser(userId: string): Promise<Label[]>;
  /**
   * Stores a new label.
   * @param max maximum number of labels of an account
   * @returns the reason why the label was not stored, or `null` if it was
   */
  insert(label: Label, max: number): Promise<"name_taken" | "too_many" | null>;
  /**
   * Changes a label.
   * @returns the label after the change; `name_taken`; `null` when it does not belong to this user
   */
  update(userId: string, labelId: string, change: LabelChange): Promise<Label | "name_taken" | null>;
  /**
   * Deletes a label; aliases are shown without it afterwards.
   * @returns false when it does not belong to this user
   */
  delete(userId: string, labelId: string): Promise<boolean>;
}

type LabelDeps = LimitDeps & { labels: LabelStore };

const LABEL_NOT_FOUND = "Label not found";

/** Creates a label. @throws AppError `invalid`, also for a name that is taken; `rate_limited` */
export async function createLabel(
  deps: LabelDeps & { random: Random },
  { userId, ...input }: CreateLabelBody & { userId: string },
): Promise<Label> {
  await takeLimit(deps, "alias_change", { userId });
  const label = { id: deps.random.uuid(), userId, ...input, createdAt: deps.clock.now() };
  const refused = await deps.labels.insert(label, limits.labelsMax);
  if (refused === "name_taken") throw fieldError("name", labelMessages.nameTaken);
  if (refused === "too_many") throw new AppError("invalid", { message: labelMessages.tooMany });
  return label;
}

/**
 * Renames a label or changes its colour.
 * @throws AppError `not_found`, `invalid` for a name that is taken, `rate_limited`
 */
export async function changeLabel(
  deps: LabelDeps,
  { userId, labelId }: { userId: string; labelId: string },
  change: LabelChange,
): Promise<Label> {
  await takeLimit(deps, "alias_change", { userId });
  const changed = await deps.labels.update(userId, labelId, change);
  if (changed === null) throw new AppError("not_found", { message: LABEL_NOT_FOUND });
  if (changed === "name_taken") throw fieldError("name", labelMessages.nameTaken);
  return changed;
}

/**
 * Deletes a label; the aliases that have it stay.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function deleteLabel(
  deps: LabelDeps,
  { userId, labelId }: { userId: string; labelId: string },
): Promise<void> {
  await takeLimit(deps, "alias_change", { userId });
  if (!(await deps.labels.delete(userId, labelId))) throw new AppError("not_found", { message: LABEL_NOT_FOUND });
}
