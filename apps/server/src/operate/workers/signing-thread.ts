/**
 * Signs mail with RSA on a thread of its own. The pool of libuv has several threads, so it wakes one for nearly every
 * signature; a single thread mostly has its next text when it has signed one. See
 * docs/decisions/2026-11-25-signing-thread.md.
 *
 * The thread starts with the first signature. Whatever it can't do is done in the pool: signatures before it runs, long
 * texts, more texts than there are slots, other algorithms, and everything after it has failed.
 */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { type DkimKey, type SignText, signInPool } from "@kauke/mail-rfc";
import type { Logger } from "../../core/ports.ts";
import type { SigningThreadData } from "./run-signing-thread.ts";
import { COUNTER, SigningSlots, SLOTS, TEXT_MAX_BYTES } from "./signing-slots.ts";

interface Waiting {
  key: DkimKey;
  text: string;
  resolve(signature: Buffer | Promise<Buffer>): void;
}

const program = new URL("./run-signing-thread.ts", import.meta.url);
/**
 * The thread has no more than one signature in its heap. The old generation has no limit of its own: a thread that
 * exceeds one can end the whole process.
 */
const heapLimits = { maxYoungGenerationSizeMb: 2 };

export class SigningThread {
  readonly #logger: Pick<Logger, "warn">;
  /** RSA keys, each with its number. */
  readonly #keys: ReadonlyMap<DkimKey, number>;
  #state: "none" | "starting" | "running" | "ended" = "none";
  #worker: Worker | null = null;
  #port: MessagePort | null = null;
  #slots: SigningSlots | null = null;
  /** Texts in the slots, oldest first. */
  #waiting: Waiting[] = [];
  #submitted = 0;
  #done = 0;

  constructor(keys: readonly DkimKey[], logger: Pick<Logger, "warn">) {
    this.#logger = logger;
    const rsa = keys.filter(({ algorithm }) => algorithm === "rsa-sha256");
    this.#keys = new Map(rsa.map((key, number) => [key, number]));
  }

  readonly signText: SignText = (key, text) => {
    const number = this.#keys.get(key);
    if (number === undefined || text.length > TEXT_MAX_BYTES) return signInPool(key, text);
    if (this.#state === "none") this.#start();
    const slots = this.#slots;
    if (this.#state !== "running" || slots === null || this.#waiting.length >= SLOTS) return signInPool(key, text);
    slots.writeText(this.#submitted, number, text);
    this.#submitted = (this.#submitted + 1) | 0;
    Atomics.store(slots.counters, COUNTER.submitted, this.#submitted);
    if (Atomics.load(slots.counters, COUNTER.isAsleep) === 1) Atomics.notify(slots.counters, COUNTER.submitted);
    // Until the text is signed there may be nothing else that keeps the process alive.
    if (this.#waiting.length === 0) this.#port?.ref();
    return new Promise((resolve) => this.#waiting.push({ key, text, resolve }));
  };

  /** Whether signatures are made by the thread now. */
  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** Ends the thread as a failure would, for tests. */
  kill(): void {
    void this.#worker?.terminate();
  }

  /** Ends the thread; texts it has not signed are signed in the pool. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#end();
    await worker?.terminate();
  }

  #start(): void {
    this.#state = "starting";
    this.#slots = new SigningSlots();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", () => this.#collect());
    port1.unref();
    const keys = Array.from(this.#keys.keys(), ({ privateKey }) => privateKey);
    const workerData: SigningThreadData = { memory: this.#slots.memory, keys, port: port2 };
    const worker = new Worker(program, { workerData, transferList: [port2], resourceLimits: heapLimits, execArgv: [] });
    this.#worker = worker;
    worker.unref();
    worker.once("online", () => {
      if (this.#state === "starting") this.#state = "running";
    });
    worker.once("error", () => this.#fail());
    worker.once("exit", () => this.#fail());
  }

  #collect(): void {
    const slots = this.#slots;
    if (slots === null) return;
    // Reset before the count is read, so that a signature finished after that is announced again.
    Atomics.store(slots.counters, COUNTER.isTold, 0);
    const done = Atomics.load(slots.counters, COUNTER.done);
    for (; this.#done !== done; this.#done = (this.#done + 1) | 0) {
      const signature = slots.readSignature(this.#done);
      const first = this.#waiting.shift();
      if (first !== undefined) first.resolve(signature ?? signInPool(first.key, first.text));
    }
    if (this.#waiting.length === 0) this.#port?.unref();
  }

  #fail(): void {
    if (this.#state === "ended") return;
    this.#logger.warn("signing_thread_ended");
    this.#end();
  }

  #end(): void {
    this.#state = "ended";
    this.#port?.close();
    this.#port = null;
    this.#slots = null;
    this.#worker = null;
    for (const { key, text, resolve } of this.#waiting.splice(0)) resolve(signInPool(key, text));
  }
}
