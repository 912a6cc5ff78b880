/**
 * Rotation of the sealing key. A new key is made, known to every process before any seals with it, then rows are sealed anew in
 * the background; the old key opens what it sealed and is deleted a day later, when nothing uses it any more. Every step lies in
 * the database, so that a kill between two of them is taken up at the next start. Keys of keyed hashes stay: an index made with
 * another key finds nothing, and what a hash was made of can't be read back.
 */
import { randomBytes } from "node:crypto";
import type { Logger } from "../../core/ports.ts";
import { type BackgroundJob, runEvery } from "../concurrency/background.ts";
import { underStartLock } from "../migrate.ts";
import type { StoreContext } from "../store-context.ts";
import { countOlderRows, isAnyBodyOlder, isAnyRowOlder, resealAll } from "./reseal.ts";
import type { SealKey } from "./seal.ts";
import { type KeyRing, readKeys, wrapKey } from "./server-keys.ts";

/** How long a key is known before it seals, where there are other processes: several of their looks at the table. */
const SETTLE_MS = 60_000;
const LOOK_MS = 10_000;
/** Soon after a start, since a rotation may have been cut off. */
const FIRST_LOOK_MS = 1000;
const PASS_MS = 3_600_000;
/** What a process sealed before the rotation and has not written yet is written by then. */
const RETIRE_MS = 86_400_000;

export interface KeyFacts {
  id: number;
  /** e.g. `seal`, `index`, `dkim-rsa:kauke.test` */
  purpose: string;
  createdAt: Date;
  /** `waits`: not every process may know it yet; `opens`: seals nothing any more; `stays`: can't be rotated while running. */
  use: "seals" | "opens" | "waits" | "stays";
}

export interface RotationState {
  step: "none" | "waits" | "reseals";
  /** Rows sealed anew by this process in the rotation under way, or in its last one. */
  resealed: number;
  /** Rows to seal anew in all; `null` while they are not counted yet. */
  total: number | null;
}

export interface KeyKeeper {
  list(): Promise<KeyFacts[]>;
  /** @returns false while an earlier rotation is not over */
  rotate(): Promise<boolean>;
  state(): RotationState;
  /** Whether anything is still to be done, by whichever process; asks the database. */
  isOpen(): Promise<boolean>;
  /** Does what is due; it does so by itself as well. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeyKeeperParts {
  /** Read at every use: it changes when it is rotated itself. */
  secretKey(): Buffer;
  /** Whether a body beside the database is still sealed by another key than this. */
  isAnyFileOlder(keyId: number): Promise<boolean>;
  isSound(): boolean;
  logger: Logger | undefined;
  /** Of the tests; else as the constants say. */
  settleMs?: number;
}

type KeyContext = Omit<StoreContext, "keys"> & { keys: KeyRing };

export function keyKeeper(context: KeyContext, parts: KeyKeeperParts): KeyKeeper {
  const rotation = new Rotation(context, parts);
  const looksMs = Math.min(LOOK_MS, (parts.settleMs ?? SETTLE_MS) / 4);
  const job = runEvery({
    firstAfterMs: Math.min(FIRST_LOOK_MS, looksMs),
    everyMs: looksMs,
    failureEvent: "key_rotation_failed",
    logger: parts.logger,
    work: async () => (parts.isSound() ? await rotation.look() : undefined),
  });
  return {
    list: () => rotation.list(),
    rotate: () => rotation.begin(),
    state: () => rotation.state,
    isOpen: () => rotation.isOpen(),
    look: () => rotation.look(),
    stop: () => rotation.stop(job),
  };
}

class Rotation {
  readonly #context: KeyContext;
  readonly #parts: KeyKeeperParts;
  #stopped = false;
  #state: RotationState = { step: "none", resealed: 0, total: 0 };
  /** Settles when the last look or beginning is over; never rejects. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #readsBegun = 0;
  #newestRead = 0;
  /** Nothing is known to be done at a start. */
  #passDueAt = 0;
  /** The sealing key of the last look: with another one a pass is due at once, whoever made it. */
  #sealedWith: number | null = null;

  constructor(context: KeyContext, parts: KeyKeeperParts) {
    this.#context = context;
    this.#parts = parts;
  }

  get state(): RotationState {
    return this.#state;
  }

  async isOpen(): Promise<boolean> {
    const keys = await this.#learn();
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
    // Not behind a pass, which can take minutes.
    if (this.#state.step !== "none") return false;
    const isBegun = await this.#inTurn(() => this.#begin());
    // Its failure is this job's own, told at its next look.
    if (isBegun) void this.look().catch(() => {});
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
      // Alone, this process knows it at once.
      const purpose = signals.isAlone ? "seal" : "seal-next";
      await trx.insertInto("server_key").values({ id, purpose, created_at: clock.now(), wrapped }).execute();
      return true;
    });
    if (!isBegun) return false;
    this.#passDueAt = 0;
    this.#state = { step: signals.isAlone ? "reseals" : "waits", resealed: 0, total: null };
    await this.#learn();
    return true;
  }

  /** Learns of keys that others made, lets a new one seal when its time has come, and seals anew what is due. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#look());
  }

  /** One at a time: a look that read the keys before a rotation began would take it for one that is over. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastTurn.then(work);
    this.#lastTurn = done.catch(() => {});
    return done;
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    let keys = await this.#learn();
    const next = keys.find((key) => key.purpose === "seal-next");
    if (next !== undefined && this.#isSettled(next.createdAt)) {
      const { db } = this.#context;
      await db.updateTable("server_key").set({ purpose: "seal" }).where("id", "=", next.id).execute();
      keys = await this.#learn();
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

  async #learn() {
    const { db, keys } = this.#context;
    const read = ++this.#readsBegun;
    const found = await readKeys(db, this.#parts.secretKey());
    // Answers of several connections may overtake each other: an older one must not take a new key away.
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
    // Another key may have come meanwhile.
    if (newest !== this.#context.keys.sealingKeyId()) return;
    this.#state = { ...this.#state, step: "none" };
    this.#passDueAt = performance.now() + PASS_MS;
    const madeAt = keys.find((key) => key.id === newest)?.createdAt ?? clock.now();
    if (clock.now().getTime() - madeAt.getTime() < RETIRE_MS) return;
    if ((await isAnyRowOlder(this.#context, newest)) || (await isAnyBodyOlder({ db }, newest))) return;
    if (await this.#parts.isAnyFileOlder(newest)) return;
    const ids = old.map((key) => key.id);
    await db.deleteFrom("server_key").where("id", "in", ids).where("purpose", "=", "seal").execute();
    await this.#learn();
  }

  /** Again until nothing is left that can be done: what was locked, and what others sealed before they had learned the key. */
  async #resealOlder(newest: number): Promise<void> {
    const isStopped = () => this.#stopped;
    let resealed = 0;
    for (let rows = 1; rows > 0; ) {
      const older = await countOlderRows(this.#context, { keyId: newest, isStopped });
      if (older === 0 || this.#stopped) return;
      rows = 0;
      const total = resealed + older;
      this.#state = { step: "reseals", resealed, total };
      const tell = (count: number) => {
        rows += count;
        resealed += count;
        this.#state = { step: "reseals", resealed, total };
      };
      await resealAll(this.#context, { tell, isStopped });
      if (this.#stopped) return;
    }
  }
}
