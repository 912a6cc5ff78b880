/** What an inline edit sends: only after the shared schema has accepted it. */
import { type AliasWire, type UpdateAliasBody, updateAliasBody } from "@kauke/contract";

export interface AliasEdit {
  alias: string;
  forwardTo: string;
  notes: string;
}

export type EditErrors = Partial<Record<keyof AliasEdit, string>>;

/** Empty notes are left out, unless they clear notes that were there. */
export function readEdit(
  edit: AliasEdit,
  before: Pick<AliasWire, "notes">,
): { body: UpdateAliasBody } | { errors: EditErrors } {
  const clearsNotes = edit.notes === "" && Boolean(before.notes);
  const notes = edit.notes === "" && !clearsNotes ? undefined : edit.notes;
  const result = updateAliasBody.safeParse({ alias: edit.alias, forwardTo: edit.forwardTo, notes });
  if (result.success) return { body: result.data };
  const errors: EditErrors = {};
  for (const issue of result.error.issues) errors[issue.path[0] as keyof AliasEdit] ??= issue.message;
  return { errors };
}
