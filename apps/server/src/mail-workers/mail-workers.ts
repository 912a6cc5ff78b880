/**
 * The mail workers of the owner process: starts them, answers their calls, makes all of them drop changed routes, and
 * replaces a worker that ended. The other workers continue meanwhile, and the mail that it held returns to the queue.
 */
import type { RouteChange } from "../core/alias/alias-store.ts";
import type { GoneWebhook } from "../core/alias/pause-webhook.ts";
import type { Clock, Logger } from "../core/ports.ts";
import type { MailTrace } from "../core/preview/mail-trace.ts";
import type { PreviewArrival, PreviewInbox } from "../core/preview/preview-inbox.ts";
import type { MetricsRegistry } from "../operate/telemetry/metrics.ts";
import type { MailPorts } from "../start-mail.ts";
import type { LaunchWorker } from "./launch-worker.ts";
import { RunningWorker } from "./running-worker.ts";
import type { ShareHub } from "./share-hub.ts";
import { wellFormed } from "./well-formed.ts";
import type { OwnerStore } from "./worker-calls.ts";
import type { WorkerSetup } from "./worker-setup.ts";

export interface MailWorkersParts {
  count: number;
  launch: LaunchWorker;
  setup: Omit<WorkerSetup, "number" | "ports">;
  store: OwnerStore;
  preview: Pick<PreviewInbox, "add"> | null;
  trace: Pick<MailTrace, "add"> | null;
  metrics: Pick<MetricsRegistry, "count" | "gauge">;
  hub: ShareHub;
  clock: Clock;
  logger: Logger;
}

/** Gauges that every worker reports; the exported value is the sum over all workers. */
const workerGauges = ["kauke_mx_sessions", "kauke_submission_sessions", "kauke_message_memory_bytes"] as const;
/** Back-off before a worker that ended within `STEADY_MS` is started again; doubled for each such end in a row. */
const RESTART_MS = 500;
const RESTART_MAX_MS = 30_000;
/** Milliseconds that a worker must have run to be replaced without back-off when it ends. */
const STEADY_MS = 30_000;
/** Maximum number of processes started for one worker when the server starts. */
const STARTS_MAX = 3;
const PING_EVERY_MS = 5000;
/**
 * Number of pings after which a worker that sent no message is ended, because its thread is blocked: a minute's worth.
 * Pings are counted instead of time, so that no worker is ended because the whole machine was suspended.
 */
const UNANSWERED_PINGS_MAX = 12;

export class MailWorkers {
  readonly #parts: MailWorkersParts;
  readonly #slots: (RunningWorker | null)[];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #recoveries = new Set<Promise<void>>();
  #ports: MailPorts = { mx: null, submission: null, submissions: null };
  #failures = 0;
  #isClosing = false;
  #watch: NodeJS.Timeout | null = null;

  constructor(parts: MailWorkersParts) {
    this.#parts = parts;
    this.#slots = Array.from({ length: parts.count }, () => null);
    for (const name of workerGauges) parts.metrics.gauge(name, () => this.#sum(name));
    parts.metrics.gauge("kauke_mail_workers", () => this.#running().filter(({ wasReady }) => wasReady).length);
    parts.store.aliases.onRouteChange((change) => this.#dropRoutes(change));
  }

  /**
   * Starts all workers. For ports configured as 0 the first worker gets free ones, on which the others listen too.
   * @throws an error with the system's code, e.g. EADDRINUSE, when a worker cannot listen
   */
  async start(): Promise<MailPorts> {
    this.#ports = await this.#startFirst(0);
    await Promise.all(this.#slots.slice(1).map((_, index) => this.#startFirst(index + 1)));
    this.#watch = setInterval(() => this.#endSilent(), PING_EVERY_MS).unref();
    return this.#ports;
  }

  /** Starts a worker, and another one if it ends while it starts, e.g. because it was killed. */
  async #startFirst(slot: number): Promise<MailPorts> {
    for (let starts = 1; ; starts++) {
      try {
        return await this.#startIn(slot).ready;
      } catch (thrown) {
        // A code says why a worker cannot listen, which another one could not either.
        if (starts >= STARTS_MAX || this.#isClosing || Object.hasOwn(Object(thrown), "code")) throw thrown;
      }
    }
  }

  /** Hands a renewed lease to the worker that attempts the delivery. @returns whether there is such a worker */
  takeOver(lease: { id: string; leaseToken: string }): boolean {
    return this.#running().some((worker) => worker.takeOver(lease));
  }

  /** Process ids of the running workers. */
  get pids(): number[] {
    return this.#running().flatMap(({ pid }) => pid ?? []);
  }

  /** Lets the workers finish transactions in progress and store their outcomes, then ends the workers. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    if (this.#watch !== null) clearInterval(this.#watch);
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#running().map((worker) => worker.stop(graceMs)));
    await Promise.all(this.#recoveries);
  }

  #running(): RunningWorker[] {
    return this.#slots.filter((worker) => worker !== null);
  }

  #startIn(slot: number): RunningWorker {
    const { launch, setup, metrics, trace, preview, store, hub, clock, logger } = this.#parts;
    const number = slot + 1;
    const launched = wellFormed(launch());
    hub.join(number, launched.link);
    const worker = new RunningWorker(launched, {
      setup: { ...setup, number, ports: this.#ports },
      store,
      server: {
        pauseWebhook: (gone: GoneWebhook) => store.pauseWebhook(gone),
        preview: (arrival: PreviewArrival) => preview?.add(arrival),
      },
      metrics,
      trace,
      clock,
      logger,
      isShuttingDown: () => this.#isClosing,
    });
    const startedAt = performance.now();
    this.#slots[slot] = worker;
    void worker.ended.then(() => this.#replace(slot, worker, performance.now() - startedAt));
    return worker;
  }

  #replace(slot: number, worker: RunningWorker, livedMs: number): void {
    if (this.#slots[slot] === worker) this.#slots[slot] = null;
    const recovery = worker.recover().finally(() => this.#recoveries.delete(recovery));
    this.#recoveries.add(recovery);
    if (this.#isClosing || !worker.wasReady) return;
    this.#failures = livedMs > STEADY_MS ? 0 : this.#failures + 1;
    const afterMs = this.#failures === 0 ? 0 : Math.min(RESTART_MS * 2 ** (this.#failures - 1), RESTART_MAX_MS);
    this.#parts.logger.error("mail_worker_ended", { id: String(slot + 1), durationMs: Math.round(livedMs) });
    this.#startLater(slot, afterMs);
  }

  #startLater(slot: number, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const worker = this.#startIn(slot);
      // `#replace` does not restart a worker that ended before it was ready, so the next try is scheduled here.
      worker.ready.catch(() => {
        this.#failures++;
        if (!this.#isClosing) this.#startLater(slot, Math.min(RESTART_MS * 2 ** this.#failures, RESTART_MAX_MS));
      });
    }, afterMs);
    this.#timers.add(timer);
  }

  async #dropRoutes(change: RouteChange): Promise<void> {
    const running = this.#running();
    if (running.length > 0) await Promise.all(running.map((worker) => worker.dropRoutes(change)));
  }

  #endSilent(): void {
    for (const worker of this.#running()) {
      if (worker.unansweredPings >= UNANSWERED_PINGS_MAX) worker.kill();
      else worker.ping();
    }
  }

  #sum(name: string): number {
    return this.#running().reduce((sum, worker) => sum + worker.reading(name), 0);
  }
}
