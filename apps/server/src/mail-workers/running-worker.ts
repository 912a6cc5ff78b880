/** The owner's side of one running mail worker. */
import type { RouteChange } from "../core/alias/alias-store.ts";
import type { Metrics } from "../core/ports.ts";
import type { MailTrace } from "../core/preview/mail-trace.ts";
import type { MailPorts } from "../start-mail.ts";
import type { LaunchedWorker } from "./launch-worker.ts";
import type { ToOwner } from "./messages.ts";
import { errorToData } from "./remote-error.ts";
import { WorkerCalls, type WorkerCallsParts } from "./worker-calls.ts";
import type { WorkerSetup } from "./worker-setup.ts";

export interface RunningWorkerParts extends WorkerCallsParts {
  setup: WorkerSetup;
  metrics: Pick<Metrics, "count">;
  trace: Pick<MailTrace, "add"> | null;
}

/** Milliseconds a worker has to confirm that it dropped a route. Then it is ended, so that it cannot use the route. */
const DROP_MAX_MS = 5000;
/** Milliseconds that a worker gets at shutdown to store outcomes, after the grace period of its transactions. */
const STORE_MS = 1500;

export class RunningWorker {
  readonly #launched: LaunchedWorker;
  readonly #parts: RunningWorkerParts;
  readonly #calls: WorkerCalls;
  /** Functions that resolve `dropRoutes`, by the id of the `drop` request. */
  readonly #drops = new Map<number, () => void>();
  readonly #readings = new Map<string, number>();
  /** Resolves with the ports the worker listens on; rejects when it could not start. */
  readonly ready: Promise<MailPorts>;
  /** Resolves when the worker has ended. */
  readonly ended: Promise<void>;
  wasReady = false;
  #lastDropId = 0;
  #unansweredPings = 0;
  #stopped: (() => void) | null = null;

  constructor(launched: LaunchedWorker, parts: RunningWorkerParts) {
    this.#launched = launched;
    this.#parts = parts;
    this.#calls = new WorkerCalls(parts);
    const { link } = launched;
    const { promise, resolve, reject } = Promise.withResolvers<MailPorts>();
    this.ready = promise;
    this.ended = new Promise((done) => link.onClose(done));
    link.onMessage((message) => {
      this.#unansweredPings = 0;
      if (message.kind === "ready") {
        this.wasReady = true;
        resolve(message.ports);
      } else if (message.kind === "failed") {
        reject(Object.assign(new Error("a mail worker could not start"), message));
        launched.kill();
      } else this.#take(message);
    });
    link.onClose(() => reject(new Error("a mail worker ended while it started")));
    // The caller that awaits `ready` handles the error; without this line it would also count as unhandled.
    promise.catch(() => {});
    link.send({ kind: "start", setup: parts.setup });
  }

  get pid(): number | null {
    return this.#launched.pid;
  }

  /** Number of pings sent since the worker's last message. */
  get unansweredPings(): number {
    return this.#unansweredPings;
  }

  reading(name: string): number {
    return this.#readings.get(name) ?? 0;
  }

  ping(): void {
    this.#unansweredPings++;
    this.#launched.link.send({ kind: "ping" });
  }

  kill(): void {
    this.#launched.kill();
  }

  takeOver(lease: { id: string; leaseToken: string }): boolean {
    if (!this.#calls.takeOver(lease.id, lease.leaseToken)) return false;
    this.#launched.link.send({ kind: "lease", ...lease });
    return true;
  }

  /** Returns the deliveries and messages that the ended worker held to the queue. */
  recover(): Promise<void> {
    return this.#calls.recover();
  }

  /** Resolves when the worker has dropped the routes or has ended. */
  async dropRoutes(change: RouteChange): Promise<void> {
    // A worker that has made no call knows no route. Waiting for it could take seconds, as it may still be starting.
    if (!this.#calls.hasBegun) return;
    const id = ++this.#lastDropId;
    const timer = setTimeout(() => this.kill(), DROP_MAX_MS);
    const dropped = new Promise<void>((resolve) => this.#drops.set(id, resolve));
    this.#launched.link.send({ kind: "drop", id, change });
    await Promise.race([dropped, this.ended]);
    clearTimeout(timer);
    this.#drops.delete(id);
  }

  async stop(graceMs: number): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stopped = resolve;
    });
    const timer = setTimeout(() => this.kill(), graceMs + STORE_MS);
    this.#launched.link.send({ kind: "stop" });
    await Promise.race([stopped, this.ended]);
    clearTimeout(timer);
    this.kill();
    await this.ended;
  }

  #take(message: Exclude<ToOwner, { kind: "ready" | "failed" }>): void {
    if (message.kind === "call") void this.#answer(message);
    else if (message.kind === "dropped") this.#drops.get(message.id)?.();
    else if (message.kind === "trace") this.#parts.trace?.add(message.messageId, message.step);
    else if (message.kind === "stopped") this.#stopped?.();
    else if (message.kind === "counts") {
      for (const [name, labels, by] of message.counts) this.#parts.metrics.count(name, labels, by);
      for (const [name, value] of message.gauges) this.#readings.set(name, value);
    }
  }

  async #answer(call: Extract<ToOwner, { kind: "call" }>): Promise<void> {
    const { link } = this.#launched;
    try {
      link.send({ kind: "answer", id: call.id, value: await this.#calls.run(call) });
    } catch (thrown) {
      link.send({ kind: "error", id: call.id, error: errorToData(thrown) });
    }
  }
}
