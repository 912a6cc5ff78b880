/** Edits of aliases that were typed and neither saved nor cancelled. */
import { listDrafts, readDraft } from "../../../drafts/drafts.ts";
import type { AliasRead } from "../alias-text.ts";

export interface AliasDraft {
  forwardTo: string;
  notes: string;
  /** The alias as it was when the edit began: what was saved elsewhere since is not overwritten without a word. */
  read?: AliasRead;
}

export async function readAliasDraft(aliasId: string): Promise<AliasDraft | null> {
  return (await readDraft<AliasDraft>("alias", aliasId))?.value ?? null;
}

/** @returns the alias among these whose edit was last typed in by no page that is still open */
export async function lastEdited(aliasIds: readonly string[]): Promise<string | null> {
  const drafts = await listDrafts<AliasDraft>("alias");
  for (const { id } of drafts) if (aliasIds.includes(id) && (await readAliasDraft(id)) !== null) return id;
  return null;
}
