/**
 * Listens for other processes' changes on a connection of its own. What is sent while it is down is lost, so after a
 * loss and again after reconnecting all routes count as stale, own domains of accounts are read anew, the delivery worker
 * is woken, and all is told as changed.
 */
import pg from "pg";
import type { Logger } from "../../runtime/ports.ts";
import { type ChangeSignals, DOMAIN_CHANNEL, LIVE_CHANNEL, ROUTE_CHANNEL, WAKE_CHANNEL } from "../change-signals.ts";
import { connectionOptions } from "./postgres.ts";

const RETRY_MS = 1000;
/** The heartbeat query detects a connection that died silently. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT_TIMEOUT_MS = 10_000;

export class PostgresSignals {
  readonly #databaseUrl: string;
  readonly #signals: ChangeSignals;
  readonly #logger: Logger | undefined;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(databaseUrl: string, signals: ChangeSignals, logger: Logger | undefined) {
    this.#databaseUrl = databaseUrl;
    this.#signals = signals;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(this.#databaseUrl), query_timeout: HEARTBEAT_TIMEOUT_MS });
    this.#client = client;
    client.on("error", () => this.#handleLoss(client));
    client.on("end", () => this.#handleLoss(client));
    client.on("notification", ({ channel, payload }) => this.#notify(channel, payload ?? ""));
    try {
      await client.connect();
      await client.query(
        `LISTEN ${ROUTE_CHANNEL}; LISTEN ${WAKE_CHANNEL}; LISTEN ${LIVE_CHANNEL}; LISTEN ${DOMAIN_CHANNEL}`,
      );
    } catch {
      return this.#handleLoss(client);
    }
    this.#signals.setListening(true);
    this.#invalidateAll();
    this.#plan(HEARTBEAT_MS, () => this.#heartbeat(client));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  #notify(channel: string, payload: string): void {
    if (channel === LIVE_CHANNEL) this.#signals.liveChanged(payload);
    else if (channel === DOMAIN_CHANNEL) void this.#signals.domainChanged({ domainId: payload });
    else if (channel === WAKE_CHANNEL) this.#signals.wake(readDueAt(payload));
    else void this.#signals.routeChanged(payload === "all" ? "all" : { aliasId: payload });
  }

  #invalidateAll(): void {
    void this.#signals.routeChanged("all");
    void this.#signals.domainChanged("all");
    this.#signals.wake();
    this.#signals.liveChanged("all");
  }

  async #heartbeat(client: pg.Client): Promise<void> {
    try {
      await client.query("SELECT 1");
      this.#plan(HEARTBEAT_MS, () => this.#heartbeat(client));
    } catch {
      this.#handleLoss(client);
    }
  }

  #handleLoss(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    this.#signals.setListening(false);
    // Closing a lost connection must neither keep the process alive nor fail unhandled.
    void client.end().catch(() => {});
    this.#logger?.warn("database_listener_lost");
    this.#invalidateAll();
    this.#plan(RETRY_MS, () => this.start());
  }

  #plan(afterMs: number, work: () => Promise<void>): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void work(), afterMs);
    this.#timer.unref();
  }
}

/** A notification that can't be read counts as due now (`undefined`). */
function readDueAt(payload: string): Date | undefined {
  const dueAt = new Date(payload);
  return Number.isNaN(dueAt.getTime()) ? undefined : dueAt;
}
