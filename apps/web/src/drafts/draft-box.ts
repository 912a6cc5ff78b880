/**
 * One account's drafts in this browser. The latest of the changes of a task is written at once, so that a reload right
 * after a key loses nothing. What can't be stored stays in the tab's memory, and leaving the page asks first.
 */
import { draftLimits } from "@kauke/contract/draft-limits";
import { call } from "../api/client.ts";
import { isSessionLost } from "../api/session/lost-session.ts";
import type { Draft, DraftKind } from "./draft.ts";
import { type DraftDatabase, type DraftRow, type FileRow, openDraftDatabase } from "./draft-database.ts";
import { makeSealer, type Sealer } from "./draft-sealer.ts";
import { packDraft, unpackDraft } from "./draft-value.ts";

interface Entry {
  draft: Draft<unknown>;
  isDeleted: boolean;
  order: number;
  /** A write of it has failed, or could not begin. */
  isStuck: boolean;
}

interface Opened {
  db: DraftDatabase;
  sealer: Sealer;
}

interface Content {
  kind: DraftKind;
  id: string;
  json: unknown;
}

const RETRY_MS = 5000;
const DAY_MS = 86_400_000;
const KEPT_MS = draftLimits.keptDays * DAY_MS;

const keyOf = (kind: DraftKind, id: string) => `${kind} ${id}`;
const isFresh = ({ savedAt }: { savedAt: number }) => savedAt > Date.now() - KEPT_MS;

/** WebKit reports a connection to its database that was lost, or is slow, as one of these; a later attempt works. */
const passing: ReadonlySet<string> = new Set(["UnknownError", "AbortError", "TimeoutError"]);

const isForGood = (error: unknown): boolean =>
  error instanceof DOMException
    ? !passing.has(error.name)
    : error instanceof TypeError || error instanceof ReferenceError;

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

export class DraftBox {
  readonly userId: string;
  readonly #onChange: () => void;
  readonly #unsaved = new Map<string, Entry>();
  /** Writes that begin at the end of the running task, by key. */
  readonly #beginning = new Map<string, Promise<boolean>>();
  readonly #writing = new Set<Promise<boolean>>();
  /** Orders of the entries whose write began last, by key. */
  readonly #stored = new Map<string, number>();
  /** Names of stored files, so that a key typed in a letter stores no attachment again. */
  readonly #files = new WeakMap<Blob, string>();
  readonly #closed = new AbortController();
  #opened: Opened | null = null;
  #opening: Promise<Opened | null> | null = null;
  #isOff = false;
  #nextTryAt = 0;
  #lastOrder = 0;

  constructor(userId: string, onChange: () => void) {
    this.userId = userId;
    this.#onChange = onChange;
    const { signal } = this.#closed;
    window.addEventListener("online", () => void this.open(true), { signal });
  }

  /** Whether everything is stored that was given to `save`. */
  get isStored(): boolean {
    return ![...this.#unsaved.values()].some(({ isStuck }) => isStuck);
  }

  /** Gets the key and opens the database, so that the first key typed is stored at once. */
  async open(isNow = false): Promise<Opened | null> {
    if (this.#opened !== null && !this.#opened.db.isClosed) return this.#opened;
    if (this.#opening !== null) return this.#opening;
    if (this.#isOff || isSessionLost() || (!isNow && Date.now() < this.#nextTryAt)) return null;
    this.#opening = this.#openAnew().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #openAnew(): Promise<Opened | null> {
    this.#nextTryAt = Date.now() + RETRY_MS;
    const asking = call("getDraftKey").then(({ key }) => makeSealer(this.userId, key));
    asking.catch(() => {});
    try {
      const db = await openDraftDatabase();
      this.#opened = { db, sealer: await asking };
      void db.removeBefore(Date.now() - KEPT_MS).catch(() => {});
    } catch (error) {
      // Without IndexedDB or WebCrypto drafts stay in this tab; without the key, or after a fault, it is tried again.
      this.#isOff = isForGood(error);
      if (!this.#isOff) setTimeout(() => this.#retry(), RETRY_MS);
      return null;
    }
    for (const [key, entry] of this.#unsaved) void this.#write(key, entry);
    return this.#opened;
  }

  #retry(): void {
    if (this.#unsaved.size > 0 && !this.#closed.signal.aborted) void this.open(true);
  }

  /** Forgets the key; what is being written is finished first. */
  async lock(): Promise<void> {
    await Promise.allSettled([...this.#beginning.values(), ...this.#writing]);
    if (isSessionLost()) this.#opened = null;
  }

  close(): void {
    this.#closed.abort();
    window.removeEventListener("beforeunload", askBeforeLeaving);
  }

  save(kind: DraftKind, id: string, value: unknown): Promise<boolean> {
    return this.#put({ kind, id, savedAt: Date.now(), value }, false);
  }

  delete(kind: DraftKind, id: string): Promise<boolean> {
    return this.#put({ kind, id, savedAt: Date.now(), value: null }, true);
  }

  async read(kind: DraftKind, id: string): Promise<Draft<unknown> | null> {
    const entry = this.#unsaved.get(keyOf(kind, id));
    if (entry !== undefined) return entry.isDeleted ? null : entry.draft;
    const opened = await this.open();
    if (opened === null) return null;
    const row = await opened.db.read(await opened.sealer.nameOf(kind, id)).catch(() => undefined);
    return row === undefined || !isFresh(row) ? null : this.#draftOf(opened, row);
  }

  async list(kind: DraftKind): Promise<Draft<unknown>[]> {
    const opened = await this.open();
    const rows = opened === null ? [] : await opened.db.list(opened.sealer.box).catch(() => []);
    const stored =
      opened === null ? [] : await Promise.all(rows.filter(isFresh).map((row) => this.#draftOf(opened, row, kind)));
    const all = new Map(stored.flatMap((draft) => (draft === null ? [] : [[keyOf(draft.kind, draft.id), draft]])));
    for (const [key, { draft, isDeleted }] of this.#unsaved) {
      if (isDeleted) all.delete(key);
      else if (draft.kind === kind) all.set(key, draft);
    }
    return [...all.values()].sort((a, b) => b.savedAt - a.savedAt);
  }

  /** Deletes all drafts of the account in this browser. */
  async wipe(): Promise<void> {
    const opened = await this.open();
    this.#unsaved.clear();
    this.#settle();
    if (opened === null) return;
    const rows = await opened.db.list(opened.sealer.box);
    await opened.db.remove(rows.map(({ name }) => name));
  }

  #put(draft: Draft<unknown>, isDeleted: boolean): Promise<boolean> {
    const key = keyOf(draft.kind, draft.id);
    this.#lastOrder += 1;
    const isStuck = this.#opened === null && !isDeleted;
    this.#unsaved.set(key, { draft, isDeleted, order: this.#lastOrder, isStuck });
    this.#settle();
    const begun = this.#beginning.get(key) ?? Promise.resolve().then(() => this.#begin(key));
    this.#beginning.set(key, begun);
    return begun;
  }

  #begin(key: string): Promise<boolean> | boolean {
    this.#beginning.delete(key);
    const entry = this.#unsaved.get(key);
    if (entry === undefined) return true;
    const writing = this.#write(key, entry).finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
    return writing;
  }

  async #write(key: string, entry: Entry): Promise<boolean> {
    const isDone = await this.#store(key, entry);
    if (!isDone) entry.isStuck = !entry.isDeleted;
    else if (this.#unsaved.get(key) === entry) this.#unsaved.delete(key);
    this.#settle();
    if (isDone) this.#onChange();
    return isDone;
  }

  async #store(key: string, entry: Entry): Promise<boolean> {
    const opened = this.#opened?.db.isClosed === false ? this.#opened : await this.open();
    if (opened === null) return false;
    const { kind, id } = entry.draft;
    const name = await opened.sealer.nameOf(kind, id);
    try {
      if (!entry.isDeleted) await this.#storeDraft(opened, { key, name, entry });
      else if (this.#isLatest(key, entry)) await opened.db.remove([name]);
      return true;
    } catch {
      return false;
    }
  }

  async #storeDraft(opened: Opened, { key, name, entry }: { key: string; name: string; entry: Entry }): Promise<void> {
    const { kind, id, savedAt, value } = entry.draft;
    const { json, files } = packDraft(value);
    const named = files.map((file) => ({ file, name: this.#fileName(file) }));
    const added = await this.#sealMissing(opened, named);
    const content = new TextEncoder().encode(JSON.stringify({ kind, id, json } satisfies Content));
    const sealed = await opened.sealer.seal(name, content);
    const isFirst = !this.#stored.has(key);
    if (!this.#isLatest(key, entry)) return;
    const sizeBytes = files.reduce((sum, { size }) => sum + size, sealed.length);
    const row = { name, box: opened.sealer.box, savedAt, sizeBytes, files: named.map((one) => one.name), sealed };
    await writeInQuota(opened, row, added);
    if (isFirst || added.length > 0) void makeSpace(opened, row).catch(() => {});
  }

  /** Whether no later write of the draft has begun; from here on this one is the latest. */
  #isLatest(key: string, { order }: Entry): boolean {
    if ((this.#stored.get(key) ?? 0) > order) return false;
    this.#stored.set(key, order);
    return true;
  }

  #fileName(file: Blob): string {
    const name = this.#files.get(file) ?? crypto.randomUUID();
    this.#files.set(file, name);
    return name;
  }

  async #sealMissing({ db, sealer }: Opened, named: readonly { file: Blob; name: string }[]): Promise<FileRow[]> {
    const missing = await db.missingFiles(named.map(({ name }) => name));
    const added: FileRow[] = [];
    for (const { file, name } of named) {
      if (!missing.includes(name)) continue;
      added.push({ name, sealed: await sealer.seal(name, new Uint8Array(await file.arrayBuffer())) });
    }
    return added;
  }

  /** `null` if the row can't be read, or is of another kind. */
  async #draftOf({ db, sealer }: Opened, row: DraftRow, only?: DraftKind): Promise<Draft<unknown> | null> {
    const bytes = await sealer.open(row.name, row.sealed);
    if (bytes === null) return null;
    try {
      const { kind, id, json } = JSON.parse(new TextDecoder().decode(bytes)) as Content;
      if (row.name !== (await sealer.nameOf(kind, id)) || (only ?? kind) !== kind) return null;
      const contents: Blob[] = [];
      for (const name of row.files) {
        const sealed = (await db.readFile(name))?.sealed;
        const content = sealed === undefined ? null : await sealer.open(name, sealed);
        if (content === null) return null;
        contents.push(new Blob([content]));
      }
      const { value, files } = unpackDraft(json, contents);
      files.forEach((file, at) => this.#files.set(file, row.files[at] ?? ""));
      return { kind, id, savedAt: row.savedAt, value };
    } catch {
      return null;
    }
  }

  #settle(): void {
    if (this.isStored || this.#closed.signal.aborted) window.removeEventListener("beforeunload", askBeforeLeaving);
    else window.addEventListener("beforeunload", askBeforeLeaving);
  }
}

/** When the browser gives no more space, the account's oldest drafts give way. @throws if that is not enough */
async function writeInQuota(opened: Opened, row: DraftRow, added: readonly FileRow[]): Promise<void> {
  for (;;)
    try {
      return await opened.db.write(row, added);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "QuotaExceededError")) throw error;
      const others = (await opened.db.list(opened.sealer.box)).filter(({ name }) => name !== row.name);
      const oldest = others.sort((a, b) => a.savedAt - b.savedAt)[0];
      if (oldest === undefined) throw error;
      await opened.db.remove([oldest.name]);
    }
}

/** Removes the account's oldest drafts above its limits, never the one just written. */
async function makeSpace({ db, sealer }: Opened, written: DraftRow): Promise<void> {
  const rows = await db.list(sealer.box);
  const names = overLimits(
    rows.map((row) => (row.name === written.name ? { ...row, savedAt: Infinity } : row)),
    draftLimits,
  );
  if (names.length > 0) await db.remove(names);
}

type Limits = Record<"perAccountMax" | "perAccountMaxBytes", number>;

/** Names of the oldest drafts that are too many or too large together. */
export function overLimits(
  rows: readonly Pick<DraftRow, "name" | "savedAt" | "sizeBytes">[],
  { perAccountMax, perAccountMaxBytes }: Limits,
): string[] {
  let sum = 0;
  const newestFirst = [...rows].sort((a, b) => b.savedAt - a.savedAt);
  return newestFirst.flatMap(({ name, sizeBytes }, index) => {
    sum += sizeBytes;
    return index > 0 && (index >= perAccountMax || sum > perAccountMaxBytes) ? [name] : [];
  });
}
