/**
 * The letter that this tab has open. It is saved as a draft while it is typed, so a reload, a crash or an ended session
 * loses nothing; the other drafts are in the list. Two tabs never write the same draft.
 */
import { onUserChange, readSession } from "../../api/session/session.ts";
import type { Draft } from "../../drafts/draft.ts";
import { deleteDraft, listDrafts, onDraftsChange, openDrafts, readDraft, saveDraft } from "../../drafts/drafts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import { withEarlyKey } from "./keys.ts";
import { asLetter, emptyLetter, isBlank, type Letter, storedOf } from "./letter.ts";

/** Reading the list decrypts every draft, which each key typed would cause. */
const REFRESH_AFTER_MS = 300;
const TAB_KEY = "kauke.letter";

/** A letter that the server has taken. */
export interface Sent {
  jobId: string;
  letter: Letter;
  /** Whether sending made the alias' SMTP credentials. */
  madeCredentials: boolean;
  /** Pixels of the form that it was sent from. */
  height: number;
}

export interface OpenLetter {
  /** Of its draft, and of the job that sends it, so that a letter that is sent twice is queued once. */
  id: string;
  letter: Letter;
  /** Changes whenever another letter is opened, and only then. */
  openedAs: number;
  /** The letter before, whose receipt is shown in place of the form. */
  sent: Sent | null;
}

export type LetterDraft = Draft<Letter>;

let opened = 0;
const fresh = (letter = emptyLetter, id = makeId(), sent: Sent | null = null): OpenLetter => {
  opened += 1;
  return { id, letter, openedAs: opened, sent };
};

const open = makeStore<OpenLetter>(fresh());
const savedAt = makeStore<number | null>(null);
const others = makeStore<readonly LetterDraft[]>([]);

let owner: string | null = null;
/** Locks that this tab holds, by letter: each is given back when its letter is not the open one. */
const locks = new Map<string, () => Promise<void>>();

/** A random UUID; `crypto.randomUUID` is missing on pages without https. */
function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A draft of an older version of this page has an id that no job can have. */
export const jobIdOf = (letterId: string): { jobId?: string } =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(letterId) ? { jobId: letterId } : {};

function remember(id: string): void {
  try {
    sessionStorage.setItem(TAB_KEY, id);
  } catch {
    // Without session storage a reload leaves the letter in the list of drafts.
  }
}

function remembered(): string | null {
  try {
    return sessionStorage.getItem(TAB_KEY);
  } catch {
    return null;
  }
}

/** Milliseconds in which the page before a reload releases its letter. */
const RELEASE_MS = 1000;

/** Marks a letter as open in this tab. @returns false if another tab has it; always true without Web Locks */
async function lock(id: string): Promise<boolean> {
  if (navigator.locks === undefined || locks.has(id)) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const hold = () => {
    const { promise: end, resolve: release } = Promise.withResolvers<void>();
    void locks.get(id)?.();
    locks.set(id, () => {
      release();
      return over;
    });
    resolve(true);
    return end;
  };
  const over = navigator.locks
    .request(lockName(id), { signal: AbortSignal.timeout(RELEASE_MS) }, hold)
    .catch(() => resolve(false));
  return promise;
}

/** Releases the locks of letters that are no longer open in this tab; no tab lists a locked letter. */
async function releaseClosed(): Promise<void> {
  const closed = [...locks].filter(([id]) => id !== open.read().id);
  for (const [id] of closed) locks.delete(id);
  await Promise.all(closed.map(([, release]) => release()));
}

const lockName = (id: string) => `letter ${id}`;

/** Ids of the letters that other tabs have open. */
async function openElsewhere(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? [];
  return new Set(held.map(({ name = "" }) => name.replace(/^letter /, "")));
}

/** Shows another letter; what is open now has been saved. */
async function show(next: OpenLetter): Promise<void> {
  open.set(next);
  const released = releaseClosed();
  savedAt.set(null);
  remember(next.id);
  // Another letter may have been opened before the lock is granted.
  void lock(next.id).then(releaseClosed);
  // Until then the letter before counts as open, and is in no list.
  await released;
}

async function save({ id, letter }: OpenLetter): Promise<void> {
  const isStored = isBlank(letter) ? await deleteDraft("letter", id) : await saveDraft("letter", id, storedOf(letter));
  // In this tab's memory only, nothing is saved; the drafts then ask before the page is left.
  if (open.read().id === id) savedAt.set(isBlank(letter) || isStored === false ? null : Date.now());
}

/** @returns the changed letter */
export function changeLetter(change: Partial<Letter>): Letter {
  const before = open.read();
  const next = withEarlyKey(before.letter, { ...before.letter, ...change });
  open.set({ ...before, letter: next });
  if (!isBlank(next) || !isBlank(before.letter)) void save(open.read());
  return next;
}

/** The open letter of the signed-in user; reads this tab's draft the first time. */
export function beginLetters(userId: string): void {
  closeReceipt();
  openDrafts();
  if (owner === userId) return void refreshDrafts();
  owner = userId;
  if (!isBlank(open.read().letter)) return void refreshDrafts();
  void restore();
}

async function restore(): Promise<void> {
  const id = remembered();
  const { openedAs } = open.read();
  const draft = id === null ? null : await readDraft<Letter>("letter", id);
  const isFree = draft !== null && (await lock(draft.id));
  // Nothing was typed or opened meanwhile.
  const isUntouched = open.read().openedAs === openedAs && isBlank(open.read().letter);
  if (draft !== null && isFree && isUntouched) {
    open.set({ ...open.read(), id: draft.id, letter: asLetter(draft.value) });
    savedAt.set(draft.savedAt);
  } else {
    remember(open.read().id);
    void lock(open.read().id).then(releaseClosed);
    void releaseClosed();
  }
  await refreshDrafts();
}

export async function refreshDrafts(): Promise<void> {
  const of = owner;
  const [drafts, elsewhere] = await Promise.all([listDrafts<Letter>("letter"), openElsewhere()]);
  // Somebody else may have signed in meanwhile.
  if (of !== owner) return;
  others.set(drafts.filter(({ id }) => id !== open.read().id && !elsewhere.has(id)));
}

/** Opens a draft; what was being written stays a draft. */
export async function openDraft({ id, value }: LetterDraft): Promise<void> {
  await show(fresh(asLetter(value), id));
  savedAt.set(Date.now());
  await refreshDrafts();
}

export async function discardDraft(id: string): Promise<void> {
  await deleteDraft("letter", id);
  await refreshDrafts();
}

/** Opens an empty letter. @param letter what it starts with */
export async function openLetter(letter = emptyLetter): Promise<void> {
  const next = fresh(letter);
  const shown = show(next);
  if (!isBlank(letter)) void save(next);
  await shown;
  await refreshDrafts();
}

/** Opens a letter that was not sent, or puts it into the list of drafts while another is being written. */
export async function restoreLetter(letter: Letter): Promise<boolean> {
  if (isBlank(open.read().letter)) {
    await openLetter(letter);
    return true;
  }
  await saveDraft("letter", makeId(), storedOf(letter));
  await refreshDrafts();
  return false;
}

/** Gives a letter another id, since a job that is not to be repeated has this one, and its uploads. */
export async function renewLetter(id: string): Promise<void> {
  const renewed = (letter: Letter) => ({
    ...letter,
    files: letter.files.map((file) => ({ ...file, attachmentId: null })),
  });
  const { id: openId, letter } = open.read();
  if (openId === id) await openLetter(renewed(letter));
  else {
    const draft = await readDraft<Letter>("letter", id);
    if (draft === null || (await openElsewhere()).has(id)) return;
    await saveDraft("letter", makeId(), storedOf(renewed(asLetter(draft.value))));
  }
  await deleteDraft("letter", id);
  await refreshDrafts();
}

/** Shows the form again, for the next letter. */
export function closeReceipt(): void {
  if (open.read().sent !== null) open.set({ ...open.read(), sent: null });
}

/** The letter was sent or discarded: its draft goes. @param next what the form shows then */
export async function closeLetter(id: string, next = emptyLetter, sent: Sent | null = null): Promise<void> {
  if (open.read().id === id) await show(fresh(next, makeId(), sent));
  await deleteDraft("letter", id);
  await refreshDrafts();
}

export const readOpenLetter = open.read;
export const useOpenLetter = (): OpenLetter => useStore(open);
export const useSavedAt = (): number | null => useStore(savedAt);
export const readDrafts = others.read;
export const useDrafts = (): readonly LetterDraft[] => useStore(others);

if (typeof window !== "undefined") {
  let refreshing: ReturnType<typeof setTimeout> | undefined;
  onDraftsChange(() => {
    clearTimeout(refreshing);
    refreshing = setTimeout(() => owner === null || void refreshDrafts(), REFRESH_AFTER_MS);
  });
}

onUserChange(() => {
  // Runs later, because user-change callbacks run before the new user is set.
  queueMicrotask(() => {
    const { user } = readSession();
    if (user?.id === owner) return;
    owner = null;
    open.set(fresh());
    void releaseClosed();
    savedAt.set(null);
    others.set([]);
  });
});
