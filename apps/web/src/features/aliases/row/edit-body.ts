/** The request that changes an alias is made only from input that the shared schema accepts. */
import { type AliasWire, type UpdateAliasBody, updateAliasBody } from "@kauke/contract";
import type { AliasRead } from "../alias-text.ts";

export interface AliasEdit {
  alias: string;
  forwardTo: string;
  notes: string;
}

export type EditErrors = Partial<Record<keyof AliasEdit, string>>;

/** Empty notes are sent only to clear existing ones. */
export function readAliasEdit(edit: AliasEdit, read: AliasRead): { body: UpdateAliasBody } | { errors: EditErrors } {
  const clearsNotes = edit.notes === "" && Boolean(read.notes);
  const notes = edit.notes === "" && !clearsNotes ? undefined : edit.notes;
  const result = updateAliasBody.safeParse({ alias: edit.alias, forwardTo: edit.forwardTo, notes, before: read });
  if (result.success) return { body: result.data };
  const errors: EditErrors = {};
  for (const issue of result.error.issues) errors[issue.path[0] as keyof AliasEdit] ??= issue.message;
  return { errors };
}

/** An alias may keep a name that was reserved later. */
export function isNewName(
  body: UpdateAliasBody,
  before: Pick<AliasWire, "alias">,
): body is UpdateAliasBody & { alias: string } {
  return body.alias !== undefined && body.alias.toLowerCase() !== before.alias.toLowerCase();
}
