/**
 * The owner's view of its mail workers: starts them, answers their calls, tells all of them about changed routes, and
 * starts another when one ends. A worker that ends takes no other with it, and what it held goes back to the queue.
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

/** Gauges of the workers, added up over all of them. */
const workerGauges = ["kauke_mx_sessions", "kauke_submission_sessions", "kauke_message_memory_bytes"] as const;
/** Milliseconds until a worker that ended soon after its start is started again; doubled for each time in a row. */
const RESTART_MS = 500;
const RESTART_MAX_MS = 30_000;
/** Milliseconds after which a running worker counts as started well. */
const STEADY_MS = 30_000;
/** Maximum number of processes started for one worker when the server starts. */
const STARTS_MAX = 3;
const PING_EVERY_MS = 5000;
/**
 * Number of pings without any message after which a worker is ended, since its thread is blocked: a minute. Pings and not
 * time are counted, so that no worker is ended when the whole machine was suspended.
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
   * Starts all workers. The first one chooses the ports that the system is asked to choose.
   * @throws with the code of the system, e.g. EADDRINUSE, when a worker cannot listen
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

  /** Whether a worker attempts this delivery; its lease then has the new token. */
  takeOver(lease: { id: string; leaseToken: string }): boolean {
    return this.#running().some((worker) => worker.takeOver(lease));
  }

  /** Process ids of the running workers. */
  get pids(): number[] {
    return this.#running().flatMap(({ pid }) => pid ?? []);
  }

  /** Lets the workers answer what is in progress and store its outcome, then ends them. */
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
      // A worker that could not start ended without being ready: it is tried again later.
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
