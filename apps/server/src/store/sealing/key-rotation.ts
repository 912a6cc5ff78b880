/**
 * Rotation of the sealing key. Every process knows a new key before any seals with it; then rows are resealed in the
 * background, and a day later the old key is deleted if nothing uses it. Every step is in the database, so a start
 * after a kill goes on. Keys of keyed hashes stay, since what they hashed is not stored.
 */
import { randomBytes } from "node:crypto";
import type { Logger } from "../../runtime/ports.ts";
import { type BackgroundJob, runEvery } from "../concurrency/background.ts";
import { underStartLock } from "../migrate.ts";
import type { StoreContext } from "../store-context.ts";
import { countOlderRows, isAnyBodyOlder, isAnyRowOlder, resealAll } from "./reseal.ts";
import type { SealKey } from "./seal.ts";
import { type KeyRing, readKeys, wrapKey } from "./server-keys.ts";

/** Milliseconds from a key's creation to its first use beside other processes: several of their checks. */
const SETTLE_MS = 60_000;
const CHECK_MS = 10_000;
/** Milliseconds to the first check; short, since a rotation may have been interrupted. */
const FIRST_CHECK_MS = 1000;
/** Milliseconds between two resealing passes while an old key exists. */
const PASS_MS = 3_600_000;
/** Age of the newest key from which older ones may be deleted: all that they sealed is written by then. */
const RETIRE_MS = 86_400_000;

export interface KeyFacts {
  id: number;
  /** Purpose of a key, e.g. `seal`, `index`, `dkim-rsa:kauke.test`. */
  purpose: string;
  createdAt: Date;
  /** `waits`: not every process may know the key. `opens`: old values only. `stays`: never rotated. */
  use: "seals" | "opens" | "waits" | "stays";
}

export interface RotationState {
  step: "none" | "waits" | "reseals";
  /** Rows that this process has resealed in the current or the last rotation. */
  resealed: number;
  total: number | null;
}

export interface KeyKeeper {
  list(): Promise<KeyFacts[]>;
  rotate(): Promise<boolean>;
  state(): RotationState;
  isOpen(): Promise<boolean>;
  runDueSteps(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeyKeeperParts {
  /** The wrapping key, read at every use because it can be rotated too. */
  secretKey(): Buffer;
  isAnyFileOlder(keyId: number): Promise<boolean>;
  isSound(): boolean;
  logger: Logger | undefined;
  settleMs?: number;
}

type KeyContext = Omit<StoreContext, "keys"> & { keys: KeyRing };

export function keyKeeper(context: KeyContext, parts: KeyKeeperParts): KeyKeeper {
  const rotation = new Rotation(context, parts);
  const checksMs = Math.min(CHECK_MS, (parts.settleMs ?? SETTLE_MS) / 4);
  const job = runEvery({
    firstAfterMs: Math.min(FIRST_CHECK_MS, checksMs),
    everyMs: checksMs,
    failureEvent: "key_rotation_failed",
    logger: parts.logger,
    work: async () => (parts.isSound() ? await rotation.runDueSteps() : undefined),
  });
  return {
    list: () => rotation.list(),
    rotate: () => rotation.begin(),
    state: () => rotation.state,
    isOpen: () => rotation.isOpen(),
    runDueSteps: () => rotation.runDueSteps(),
    stop: () => rotation.stop(job),
  };
}

class Rotation {
  readonly #context: KeyContext;
  readonly #parts: KeyKeeperParts;
  #stopped = false;
  #state: RotationState = { step: "none", resealed: 0, total: 0 };
  #lastTurn: Promise<unknown> = Promise.resolve();
  #readsBegun = 0;
  #newestRead = 0;
  /** Next pass by performance.now(); 0: at the first check, since an earlier process may have stopped half-way. */
  #passDueAt = 0;
  /** Sealing key at the last check. If another process or this one has changed it, a pass is due. */
  #sealedWith: number | null = null;

  constructor(context: KeyContext, parts: KeyKeeperParts) {
    this.#context = context;
    this.#parts = parts;
  }

  get state(): RotationState {
    return this.#state;
  }

  async isOpen(): Promise<boolean> {
    const keys = await this.#readKeys();
    if (keys.some((key) => key.purpose === "seal-next")) return true;
    if (keys.filter((key) => key.purpose === "seal").length < 2) return false;
    return await isAnyRowOlder(this.#context, this.#context.keys.sealingKeyId());
  }

  async stop(job: BackgroundJob): Promise<void> {
    this.#stopped = true;
    await job.stop();
    await this.#lastTurn;
  }

  async list(): Promise<KeyFacts[]> {
    const rows = await this.#context.db.selectFrom("server_key").selectAll().orderBy("id").execute();
    const newest = Math.max(...rows.filter((row) => row.purpose === "seal").map((row) => row.id));
    const useOf = (purpose: string, id: number) => {
      if (purpose === "seal-next") return "waits";
      if (purpose !== "seal") return "stays";
      return id === newest ? "seals" : "opens";
    };
    return rows.map(({ id, purpose, created_at }) => ({ id, purpose, createdAt: created_at, use: useOf(purpose, id) }));
  }

  async begin(): Promise<boolean> {
    // Checked first, since `#inTurn` would wait for a resealing pass, which can take minutes.
    if (this.#state.step !== "none") return false;
    const isBegun = await this.#inTurn(() => this.#begin());
    // If this check fails, the next periodic check fails in the same way and is logged.
    if (isBegun) void this.runDueSteps().catch(() => {});
    return isBegun;
  }

  async #begin(): Promise<boolean> {
    const { db, clock, signals } = this.#context;
    if (this.#state.step !== "none") return false;
    const isBegun = await underStartLock(db, async (trx) => {
      const rows = await trx.selectFrom("server_key").selectAll().execute();
      if (rows.some((row) => row.purpose === "seal-next")) return false;
      const id = Math.max(...rows.map((row) => row.id)) + 1;
      const wrapped = wrapKey(this.#parts.secretKey(), id, randomBytes(32));
      // If this is the only process, it knows the new key at once.
      const purpose = signals.isAlone ? "seal" : "seal-next";
      await trx.insertInto("server_key").values({ id, purpose, created_at: clock.now(), wrapped }).execute();
      return true;
    });
    if (!isBegun) return false;
    this.#passDueAt = 0;
    this.#state = { step: signals.isAlone ? "reseals" : "waits", resealed: 0, total: null };
    await this.#readKeys();
    return true;
  }

  runDueSteps(): Promise<void> {
    return this.#inTurn(() => this.#check());
  }

  /** Runs checks one after another: one that read the keys before a rotation began would conclude that it is over. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastTurn.then(work);
    this.#lastTurn = done.catch(() => {});
    return done;
  }

  async #check(): Promise<void> {
    if (this.#stopped) return;
    let keys = await this.#readKeys();
    const next = keys.find((key) => key.purpose === "seal-next");
    if (next !== undefined && this.#isSettled(next.createdAt)) {
      const { db } = this.#context;
      await db.updateTable("server_key").set({ purpose: "seal" }).where("id", "=", next.id).execute();
      keys = await this.#readKeys();
    } else if (next !== undefined) {
      this.#state = { step: "waits", resealed: 0, total: null };
      return;
    }
    const newest = this.#context.keys.sealingKeyId();
    if (this.#sealedWith !== newest) this.#passDueAt = 0;
    this.#sealedWith = newest;
    const old = keys.filter((key) => key.purpose === "seal" && key.id !== newest);
    if (old.length === 0) this.#state = { ...this.#state, step: "none" };
    else if (performance.now() >= this.#passDueAt) await this.#pass(keys, old);
  }

  async #readKeys() {
    const { db, keys } = this.#context;
    const read = ++this.#readsBegun;
    const found = await readKeys(db, this.#parts.secretKey());
    // Reads of the keys may end out of order: an older one must not remove a new key.
    if (read > this.#newestRead) {
      this.#newestRead = read;
      keys.renew(found);
    }
    return found;
  }

  #isSettled(createdAt: Date): boolean {
    return this.#context.clock.now().getTime() - createdAt.getTime() >= (this.#parts.settleMs ?? SETTLE_MS);
  }

  async #pass(keys: readonly (SealKey & { createdAt: Date })[], old: readonly SealKey[]): Promise<void> {
    const { db, clock } = this.#context;
    const newest = this.#context.keys.sealingKeyId();
    await this.#resealOlder(newest);
    if (this.#stopped) return;
    // If another key was made during the pass, the next check reseals with it.
    if (newest !== this.#context.keys.sealingKeyId()) return;
    this.#state = { ...this.#state, step: "none" };
    this.#passDueAt = performance.now() + PASS_MS;
    const madeAt = keys.find((key) => key.id === newest)?.createdAt ?? clock.now();
    if (clock.now().getTime() - madeAt.getTime() < RETIRE_MS) return;
    if ((await isAnyRowOlder(this.#context, newest)) || (await isAnyBodyOlder({ db }, newest))) return;
    if (await this.#parts.isAnyFileOlder(newest)) return;
    const ids = old.map((key) => key.id);
    await db.deleteFrom("server_key").where("id", "in", ids).where("purpose", "=", "seal").execute();
    await this.#readKeys();
  }

  /** Reseals in passes until one finds no row: a pass skips locked rows, and misses those sealed meanwhile. */
  async #resealOlder(newest: number): Promise<void> {
    const isStopped = () => this.#stopped;
    let resealed = 0;
    for (let rows = 1; rows > 0; ) {
      const older = await countOlderRows(this.#context, { keyId: newest, isStopped });
      if (older === 0 || this.#stopped) return;
      rows = 0;
      const total = resealed + older;
      this.#state = { step: "reseals", resealed, total };
      const report = (count: number) => {
        rows += count;
        resealed += count;
        this.#state = { step: "reseals", resealed, total };
      };
      await resealAll(this.#context, { report, isStopped });
      if (this.#stopped) return;
    }
  }
}
