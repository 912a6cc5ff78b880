/**
 * The browser's IndexedDB with sealed drafts of all accounts. Readable in it are times, sizes, and names that are keyed
 * hashes or random. Another version of the app raises `SCHEMA` when it changes the stores, and drops what it can't read.
 */
import { t } from "../texts/texts.ts";

const SCHEMA = 1;

export interface DraftRow {
  name: string;
  /** Names the account. */
  box: string;
  savedAt: number;
  /** With its files. */
  sizeBytes: number;
  files: string[];
  sealed: Uint8Array<ArrayBuffer>;
}

export interface FileRow {
  name: string;
  sealed: Uint8Array<ArrayBuffer>;
}

type StoreName = "drafts" | "files";

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const endOf = (work: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    work.oncomplete = () => resolve();
    work.onabort = () => reject(work.error ?? new DOMException(t("The draft was not stored"), "AbortError"));
  });

function makeStores(db: IDBDatabase): void {
  for (const name of Array.from(db.objectStoreNames)) db.deleteObjectStore(name);
  const drafts = db.createObjectStore("drafts", { keyPath: "name" });
  drafts.createIndex("box", "box");
  drafts.createIndex("savedAt", "savedAt");
  drafts.createIndex("files", "files", { multiEntry: true });
  db.createObjectStore("files", { keyPath: "name" });
}

const OPEN_MS = 5000;

async function tooLate(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, OPEN_MS));
  throw new DOMException("The database did not open in time", "TimeoutError");
}

/** @throws where the browser has IndexedDB off, as some private windows do, or a newer version of the app changed it */
export async function openDraftDatabase(): Promise<DraftDatabase> {
  const request = indexedDB.open("drafts", SCHEMA);
  request.onupgradeneeded = () => makeStores(request.result);
  return new DraftDatabase(await Promise.race([resultOf(request), tooLate()]));
}

export class DraftDatabase {
  readonly #db: IDBDatabase;
  /** A newer version of the app is waiting in another tab, or the browser has deleted the site's data. */
  isClosed = false;

  constructor(db: IDBDatabase) {
    this.#db = db;
    const close = () => {
      this.isClosed = true;
      db.close();
    };
    db.onversionchange = close;
    db.onclose = close;
  }

  async read(name: string): Promise<DraftRow | undefined> {
    return resultOf(this.#in("readonly").drafts.get(name));
  }

  async list(box: string): Promise<DraftRow[]> {
    return resultOf(this.#in("readonly").drafts.index("box").getAll(box));
  }

  async readFile(name: string): Promise<FileRow | undefined> {
    return resultOf(this.#in("readonly").files.get(name));
  }

  async missingFiles(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return [];
    const { files } = this.#in("readonly");
    const counts = await Promise.all(names.map((name) => resultOf(files.count(name))));
    return names.filter((_, index) => counts[index] === 0);
  }

  /** Committed without a further step, so that a reload right after it loses nothing. */
  async write(row: DraftRow, added: readonly FileRow[]): Promise<void> {
    const { work, drafts, files } = this.#in("readwrite");
    drafts.put(row);
    for (const file of added) files.put(file);
    work.commit();
    await endOf(work);
  }

  async remove(names: readonly string[]): Promise<void> {
    const { work, drafts } = this.#in("readwrite");
    for (const name of names) drafts.delete(name);
    work.commit();
    await endOf(work);
    await this.removeUnusedFiles();
  }

  /** A file may belong to several drafts: a letter's copy is kept until it is sent. */
  async removeUnusedFiles(): Promise<void> {
    const { work, drafts, files } = this.#in("readwrite");
    const end = endOf(work);
    for (const name of await resultOf(files.getAllKeys()))
      if ((await resultOf(drafts.index("files").count(name))) === 0) files.delete(name);
    await end;
  }

  /** Removes drafts of every account that were saved before. */
  async removeBefore(time: number): Promise<void> {
    const range = IDBKeyRange.upperBound(time, true);
    const names = await resultOf(this.#in("readonly").drafts.index("savedAt").getAllKeys(range));
    if (names.length > 0) await this.remove(names as string[]);
  }

  #in(mode: IDBTransactionMode) {
    const work = this.#db.transaction(["drafts", "files"] satisfies StoreName[], mode);
    return { work, drafts: work.objectStore("drafts"), files: work.objectStore("files") };
  }
}
