/**
 * Hears what other processes change, on a connection of its own. While that connection is down nothing is heard, so at its loss
 * and again after its return every cached route counts as stale, and the queue is looked at.
 */
import pg from "pg";
import type { Logger } from "../../core/ports.ts";
import { type ChangeSignals, ROUTE_CHANNEL, WAKE_CHANNEL } from "../change-signals.ts";
import { connectionOptions } from "./postgres.ts";

const RETRY_MS = 1000;
/** A connection can die without a word (a cut network); this asks. */
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

  /** Returns when we listen, or when the first try failed and others follow. */
  async start(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(this.#databaseUrl), query_timeout: HEARTBEAT_TIMEOUT_MS });
    this.#client = client;
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    client.on("notification", ({ channel, payload }) => this.#hear(channel, payload ?? ""));
    try {
      await client.connect();
      await client.query(`LISTEN ${ROUTE_CHANNEL}; LISTEN ${WAKE_CHANNEL}`);
    } catch {
      return this.#lose(client);
    }
    this.#forgetAll();
    this.#plan(HEARTBEAT_MS, () => this.#beat(client));
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }

  #hear(channel: string, payload: string): void {
    if (channel === WAKE_CHANNEL) this.#signals.wake(readDueAt(payload));
    else this.#signals.routeChanged(payload === "all" ? "all" : { aliasId: payload });
  }

  #forgetAll(): void {
    this.#signals.routeChanged("all");
    this.#signals.wake();
  }

  async #beat(client: pg.Client): Promise<void> {
    try {
      await client.query("SELECT 1");
      this.#plan(HEARTBEAT_MS, () => this.#beat(client));
    } catch {
      this.#lose(client);
    }
  }

  #lose(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    // What is left of it must not hold the process or come back with an error nobody hears.
    void client.end().catch(() => {});
    this.#logger?.warn("database_listener_lost");
    this.#forgetAll();
    this.#plan(RETRY_MS, () => this.start());
  }

  #plan(afterMs: number, work: () => Promise<void>): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void work(), afterMs);
    this.#timer.unref();
  }
}

/** What can't be read is due now. */
function readDueAt(payload: string): Date | undefined {
  const dueAt = new Date(payload);
  return Number.isNaN(dueAt.getTime()) ? undefined : dueAt;
}
