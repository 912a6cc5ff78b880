/**
 * Rotation of the sealing key. A new key is created and known to every process before any process seals with it; then
 * rows are resealed in the background. The old key still opens what it sealed, and is deleted a day after the new one
 * was made if nothing uses the old one any more. Every step is recorded in the database, so that a rotation interrupted
 * by a kill is resumed at the next start. Keys of keyed hashes are not rotated: the hashed values are not stored, so
 * existing hashes could not be recomputed.
 */
import { randomBytes } from "node:crypto";
import type { Logger } from "../../runtime/ports.ts";
import { type BackgroundJob, runEvery } from "../concurrency/background.ts";
import { underStartLock } from "../migrate.ts";
import type { StoreContext } from "../store-context.ts";
import { countOlderRows, isAnyBodyOlder, isAnyRowOlder, resealAll } from "./reseal.ts";
import type { SealKey } from "./seal.ts";
import { type KeyRing, readKeys, wrapKey } from "./server-keys.ts";

/**
 * Milliseconds from the creation of a new key to its first use for sealing, if there are other processes: time for
 * several of their checks (CHECK_MS).
 */
const SETTLE_MS = 60_000;
const CHECK_MS = 10_000;
/** Milliseconds from the start of the process to its first check. Short, since a rotation may have been interrupted. */
const FIRST_CHECK_MS = 1000;
/** Milliseconds between two resealing passes while an old key exists. */
const PASS_MS = 3_600_000;
/**
 * Age of the newest key at which older keys may be deleted. By then, everything that a process had sealed with an older
 * key has been written.
 */
const RETIRE_MS = 86_400_000;

export interface KeyFacts {
  id: number;
  /** Purpose of the key, e.g. `seal`, `index`, `dkim-rsa:kauke.test`. */
  purpose: string;
  createdAt: Date;
  /**
   * How the key is used. `seals`: for new values; `waits`: not yet, since not every process may know it; `opens`: for
   * old values only; `stays`: the key is not rotated while the server runs.
   */
  use: "seals" | "opens" | "waits" | "stays";
}

export interface RotationState {
  step: "none" | "waits" | "reseals";
  /** Rows that this process has resealed in the current rotation, or in the last one. */
  resealed: number;
  /** Total number of rows to reseal; `null` until they are counted. */
  total: number | null;
}

export interface KeyKeeper {
  list(): Promise<KeyFacts[]>;
  /**
   * Starts a rotation.
   * @returns false while an earlier rotation is in progress
   */
  rotate(): Promise<boolean>;
  state(): RotationState;
  /** Whether a rotation is in progress in any process, according to the database. */
  isOpen(): Promise<boolean>;
  /** Does the steps of the rotation that are due. Called periodically by the keeper itself. */
  runDueSteps(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeyKeeperParts {
  /** The wrapping key; read at every use, because it can be rotated too. */
  secretKey(): Buffer;
  /** Whether a file beside the database was sealed by a key other than the given one. */
  isAnyFileOlder(keyId: number): Promise<boolean>;
  isSound(): boolean;
  logger: Logger | undefined;
  /** Milliseconds to wait instead of SETTLE_MS; set by tests only. */
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
  /** Settles when the last check or start of a rotation has ended; never rejects. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #readsBegun = 0;
  #newestRead = 0;
  /**
   * Time of the next pass, by performance.now(). 0 makes a pass due at the first check, because it is unknown what an
   * earlier process has done.
   */
  #passDueAt = 0;
  /**
   * Id of the sealing key at the last check. If it has changed, a pass is due at once, whichever process made the key.
   */
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
    // Checked here too, since `#inTurn` would first wait for a resealing pass in progress, which can take minutes.
    if (this.#state.step !== "none") return false;
    const isBegun = await this.#inTurn(() => this.#begin());
    // A failure of this check is not lost: the next periodic check fails in the same way and is logged.
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
      // If this is the only process, it knows the new key at once, so the key can seal immediately.
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

  /** Reads keys that other processes made, promotes a new key when its time has come, and reseals what is due. */
  runDueSteps(): Promise<void> {
    return this.#inTurn(() => this.#check());
  }

  /**
   * Runs checks and starts of a rotation one after another: a check that read the keys before a rotation began would
   * conclude that the rotation is over.
   */
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
    // Results of reading the keys may arrive out of order, by different connections: an older result must not remove a
    // new key.
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
    // If another key was made during the pass, the rotation is not over: the next check reseals with the newer key.
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

  /**
   * Reseals rows of older keys in passes until a pass finds none: one pass leaves out rows that were locked, and rows
   * that other processes sealed with an older key before they knew the newest.
   */
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
