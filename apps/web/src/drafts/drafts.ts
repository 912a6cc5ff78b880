/**
 * What a user has typed and not yet used, so that a reload, a crash or an ended session loses nothing: encrypted in this
 * browser for a week, readable in a session of its account only (docs/stored-data.md).
 */
import { isSessionLost, onSessionLost } from "../api/session/lost-session.ts";
import { onUserChange, readSession } from "../api/session/session.ts";
import type { Draft, DraftKind } from "./draft.ts";
import { DraftBox } from "./draft-box.ts";
import { formIdOf, notOfOthers, ownId } from "./draft-pages.ts";

let box: DraftBox | null = null;
const listeners = new Set<() => void>();

/** Tells the other tabs that a draft was saved or deleted, but not which. */
let channel: BroadcastChannel | null = null;

function openChannel(): BroadcastChannel {
  if (channel === null) {
    channel = new BroadcastChannel("drafts");
    channel.onmessage = () => notify();
  }
  return channel;
}

const notify = () => {
  for (const listener of listeners) listener();
};

const onChange = () => {
  notify();
  openChannel().postMessage("changed");
};

function currentBox(): DraftBox | null {
  const { user } = readSession();
  if (user === null) return null;
  if (box?.userId !== user.id) {
    box?.close();
    box = new DraftBox(user.id, onChange);
  }
  return box;
}

onUserChange(() => {
  box?.close();
  box = null;
});

// Nothing can be decrypted while the session is over; the same user's sign-in opens the drafts again.
onSessionLost(() => void (isSessionLost() ? box?.lock() : box?.open(true)));

/** Gets the key, so that the first key typed is stored at once. */
export const openDrafts = (): void => void currentBox()?.open();

/** Forms of which every open page has a draft of its own. */
const perPage: ReadonlySet<DraftKind> = new Set(["new-alias", "alias", "decrypt"]);

const storedId = (kind: DraftKind, id: string) => (perPage.has(kind) ? ownId(id) : id);

/**
 * Replaces the draft; resolves once it is stored, with false if it is in this tab's memory only. Never rejects.
 * @param value plain objects, dates, `Blob` and `File`
 */
export async function saveDraft<T>(kind: DraftKind, id: string, value: T): Promise<boolean> {
  return (await currentBox()?.save(kind, storedId(kind, id), value)) ?? false;
}

/** A form's draft of a page that is gone becomes this page's. */
export async function readDraft<T>(kind: DraftKind, id: string): Promise<Draft<T> | null> {
  const own = currentBox();
  if (own === null) return null;
  const found = await own.read(kind, storedId(kind, id));
  if (found !== null) return { ...(found as Draft<T>), id };
  return perPage.has(kind) ? takeOver<T>(own, kind, id) : null;
}

async function takeOver<T>(own: DraftBox, kind: DraftKind, id: string): Promise<Draft<T> | null> {
  const [left] = await notOfOthers((await own.list(kind)).filter((draft) => formIdOf(draft.id) === id));
  if (left === undefined) return null;
  const isNewer = (await own.read(kind, ownId(id))) !== null;
  if (!isNewer && (await own.save(kind, ownId(id), left.value))) await own.delete(kind, left.id);
  return isNewer ? null : { ...(left as Draft<T>), id };
}

/** Newest first; of forms, without those that another open page has. */
export async function listDrafts<T>(kind: DraftKind): Promise<Draft<T>[]> {
  const drafts = ((await currentBox()?.list(kind)) ?? []) as Draft<T>[];
  if (!perPage.has(kind)) return drafts;
  return (await notOfOthers(drafts)).map((draft) => ({ ...draft, id: formIdOf(draft.id) }));
}

export async function deleteDraft(kind: DraftKind, id: string): Promise<void> {
  await currentBox()?.delete(kind, storedId(kind, id));
}

/** Calls the listener after each change here or in another tab. @returns function that unsubscribes */
export function onDraftsChange(listener: () => void): () => void {
  openChannel();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Gets the key before the account goes. @returns function that deletes all its drafts in this browser */
export async function prepareWipe(): Promise<() => Promise<void>> {
  const own = currentBox();
  await own?.open();
  return async () => own?.wipe().catch(() => {});
}
