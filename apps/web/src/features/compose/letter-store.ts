/**
 * The letter that this tab has open. It is saved as a draft while it is typed, so a reload, a crash or an ended session
 * loses nothing; the other drafts are in the list. Two tabs never write the same draft.
 */
import { onUserChange, readSession } from "../../api/session/session.ts";
import type { Draft } from "../../drafts/draft.ts";
import { deleteDraft, listDrafts, onDraftsChange, openDrafts, readDraft, saveDraft } from "../../drafts/drafts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import { asLetter, emptyLetter, isBlank, type Letter, storedOf } from "./letter.ts";

/** Milliseconds without typing before a letter is saved, and at most until then. */
const SAVE_AFTER_MS = 300;
const SAVE_WITHIN_MS = 2000;
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
let timer: ReturnType<typeof setTimeout> | undefined;
let unsavedSince: number | null = null;
/** Locks that this tab holds, by letter: each is given back when its letter is not the open one. */
const locks = new Map<string, () => void>();

function makeId(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

function setUnsaved(since: number | null): void {
  unsavedSince = since;
  if (since === null) window.removeEventListener("beforeunload", askBeforeLeaving);
  else window.addEventListener("beforeunload", askBeforeLeaving);
}

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
    locks.get(id)?.();
    locks.set(id, release);
    resolve(true);
    return end;
  };
  navigator.locks.request(lockName(id), { signal: AbortSignal.timeout(RELEASE_MS) }, hold).catch(() => resolve(false));
  return promise;
}

/** A draft that stayed locked would be in no tab's list. */
function releaseClosed(): void {
  for (const [id, release] of locks)
    if (id !== open.read().id) {
      locks.delete(id);
      release();
    }
}

const lockName = (id: string) => `letter ${id}`;

/** Ids of the letters that other tabs have open. */
async function openElsewhere(): Promise<Set<string>> {
  const held = (await navigator.locks?.query())?.held ?? [];
  return new Set(held.map(({ name = "" }) => name.replace(/^letter /, "")));
}

/** Shows another letter, after what is open now was saved. */
async function show(next: OpenLetter): Promise<void> {
  const saving = saveNow();
  open.set(next);
  releaseClosed();
  savedAt.set(null);
  remember(next.id);
  // Another letter may have been opened before the lock is granted.
  void lock(next.id).then(releaseClosed);
  await saving;
}

async function saveNow(): Promise<void> {
  clearTimeout(timer);
  if (unsavedSince === null) return;
  setUnsaved(null);
  const { id, letter } = open.read();
  const isStored = isBlank(letter) ? await deleteDraft("letter", id) : await saveDraft("letter", id, storedOf(letter));
  if (open.read().id !== id) return;
  savedAt.set(isBlank(letter) || isStored === false ? null : Date.now());
  // In this tab's memory only: leaving would lose it.
  if (isStored === false) setUnsaved(Date.now());
}

export function changeLetter(change: Partial<Letter>): void {
  const before = open.read();
  const next = { ...before.letter, ...change };
  open.set({ ...before, letter: next });
  if (isBlank(next) && savedAt.read() === null && unsavedSince === null) return;
  const now = Date.now();
  setUnsaved(unsavedSince ?? now);
  clearTimeout(timer);
  timer = setTimeout(
    () => void saveNow(),
    Math.max(0, Math.min(SAVE_AFTER_MS, (unsavedSince ?? now) + SAVE_WITHIN_MS - now)),
  );
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
    releaseClosed();
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
  await show(fresh(letter));
  if (!isBlank(letter)) changeLetter({});
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

/** Shows the form again, for the next letter. */
export function closeReceipt(): void {
  if (open.read().sent !== null) open.set({ ...open.read(), sent: null });
}

/** The letter was sent or discarded: its draft goes. @param next what the form shows then */
export async function closeLetter(id: string, next = emptyLetter, sent: Sent | null = null): Promise<void> {
  if (open.read().id === id) {
    clearTimeout(timer);
    setUnsaved(null);
    await show(fresh(next, makeId(), sent));
  }
  await deleteDraft("letter", id);
  await refreshDrafts();
}

export const readOpenLetter = open.read;
export const useOpenLetter = (): OpenLetter => useStore(open);
export const useSavedAt = (): number | null => useStore(savedAt);
export const readDrafts = others.read;
export const useDrafts = (): readonly LetterDraft[] => useStore(others);

if (typeof window !== "undefined") {
  window.addEventListener("pagehide", () => void saveNow());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void saveNow();
  });
  onDraftsChange(() => {
    if (owner !== null) void refreshDrafts();
  });
}

onUserChange(() => {
  // Runs later, because user-change callbacks run before the new user is set.
  queueMicrotask(() => {
    const { user } = readSession();
    if (user?.id === owner) return;
    clearTimeout(timer);
    setUnsaved(null);
    owner = null;
    open.set(fresh());
    releaseClosed();
    savedAt.set(null);
    others.set([]);
  });
});
