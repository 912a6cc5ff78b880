import { type CreateLabelBody, type LabelColour, labelMessages, limits } from "@kauke/contract";
import type { Random } from "../runtime/ports.ts";
import { AppError, fieldError, notFound } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export interface Label {
  id: string;
  userId: string;
  name: string;
  colour: LabelColour;
  createdAt: Date;
}

type LabelChange = Partial<Pick<Label, "name" | "colour">>;

/** Names are unique per account, ignoring letter case. Another user's label counts as absent. */
export interface LabelStore {
  listForUser(userId: string): Promise<Label[]>;
  /** @returns why the label was not stored; `null` if it was @param max labels per account */
  insert(label: Label, max: number): Promise<"name_taken" | "too_many" | null>;
  update(userId: string, labelId: string, change: LabelChange): Promise<Label | "name_taken" | null>;
  /** Also removes it from all aliases. @returns false when it does not belong to this user */
  delete(userId: string, labelId: string): Promise<boolean>;
}

type LabelDeps = LimitDeps & { labels: LabelStore };

const LABEL_NOT_FOUND = "Label not found";

/** @throws AppError `invalid`, also for a name that is taken; `rate_limited` */
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

/** @throws AppError `not_found`, `invalid` for a name that is taken, `rate_limited` */
export async function changeLabel(
  deps: LabelDeps,
  { userId, labelId }: { userId: string; labelId: string },
  change: LabelChange,
): Promise<Label> {
  await takeLimit(deps, "alias_change", { userId });
  const changed = await deps.labels.update(userId, labelId, change);
  if (changed === null) throw notFound(LABEL_NOT_FOUND);
  if (changed === "name_taken") throw fieldError("name", labelMessages.nameTaken);
  return changed;
}

/** Deletes the label, not its aliases. @throws AppError `not_found`, `rate_limited` */
export async function deleteLabel(
  deps: LabelDeps,
  { userId, labelId }: { userId: string; labelId: string },
): Promise<void> {
  await takeLimit(deps, "alias_change", { userId });
  if (!(await deps.labels.delete(userId, labelId))) throw notFound(LABEL_NOT_FOUND);
}
