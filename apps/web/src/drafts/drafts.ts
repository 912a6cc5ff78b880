/** What a user has typed and not yet used, so that a reload, a crash or an ended session loses nothing. */

/** `alias`: the edited fields of one alias, by its id; `sent`: a letter until the server has sent it. */
export type DraftKind = "letter" | "sent" | "new-alias" | "alias" | "decrypt";

export interface Draft<T> {
  kind: DraftKind;
  /** Chosen by the page; one per letter, `""` where a kind has only one. */
  id: string;
  savedAt: number;
  value: T;
}

const kept = new Map<string, Draft<unknown>>();
const keyOf = (kind: DraftKind, id: string) => `${kind} ${id}`;

/** Replaces the draft; resolves once it is stored. Never rejects: without storage drafts live in this tab only. */
export async function saveDraft<T>(kind: DraftKind, id: string, value: T): Promise<void> {
  kept.set(keyOf(kind, id), { kind, id, savedAt: Date.now(), value });
}

export async function readDraft<T>(kind: DraftKind, id: string): Promise<Draft<T> | null> {
  return (kept.get(keyOf(kind, id)) as Draft<T> | undefined) ?? null;
}

/** Newest first. */
export async function listDrafts<T>(kind: DraftKind): Promise<Draft<T>[]> {
  const all = [...kept.values()].filter((draft) => draft.kind === kind) as Draft<T>[];
  return all.sort((a, b) => b.savedAt - a.savedAt);
}

export async function deleteDraft(kind: DraftKind, id: string): Promise<void> {
  kept.delete(keyOf(kind, id));
}
