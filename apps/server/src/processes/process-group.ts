/** Several servers on one PostgreSQL and the same ports (`KAUKE_WORKERS`), with one control socket and metrics page. */
import { randomBytes } from "node:crypto";
import { type ControlRequest, handlersBy } from "../cli/control/control-protocol.ts";
import { listenControl } from "../cli/control/control-socket.ts";
import { listenMetrics } from "../platform/telemetry/metrics.ts";
import type { Logger } from "../runtime/ports.ts";
import type { Config } from "../settings/config.ts";
import { type GroupMember, type ListenPorts, MemberProcess } from "./member-process.ts";

/** Bytes of the keys of TLS session tickets, which are never stored. */
const TICKET_KEYS_BYTES = 48;
/** Milliseconds before a restart, doubled for each process in a row that ended within `STEADY_MS`. */
const RESTART_MS = 500;
const RESTART_MAX_MS = 30_000;
const STEADY_MS = 30_000;
/** After a minute without a response a process is killed. Counts pings, because the machine may have been suspended. */
const MISSED_PINGS_MAX = 12;
/** Milliseconds after which a slow process is left out of the page of metrics. */
const METRICS_MS = 2000;

export interface ProcessGroupParts {
  config: Config;
  logger: Logger;
  program: string;
  /** Milliseconds between two pings; default 5000. */
  pingEveryMs?: number;
}

export class ProcessGroup {
  readonly #parts: ProcessGroupParts;
  readonly #member: GroupMember;
  readonly #members = new Set<MemberProcess>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #closers: (() => Promise<void> | void)[] = [];
  #ports: ListenPorts | null = null;
  #failures = 0;
  #isClosing = false;

  private constructor(parts: ProcessGroupParts) {
    this.#parts = parts;
    this.#member = { processes: parts.config.workers, ticketKeys: randomBytes(TICKET_KEYS_BYTES) };
  }

  /** Starts one process, which prepares the database and chooses ports, then the others. @throws if one can't start */
  static async start(parts: ProcessGroupParts): Promise<ProcessGroup> {
    const group = new ProcessGroup(parts);
    try {
      await group.#startAll();
      return group;
    } catch (thrown) {
      await group.close();
      throw thrown;
    }
  }

  get ports(): ListenPorts {
    return this.#ports ?? { http: null, https: null, mx: null, submission: null, submissions: null, pop3s: null };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#members].map((member) => member.stop()));
    for (const close of this.#closers.splice(0)) await close();
  }

  async #startAll(): Promise<void> {
    const { config, logger, pingEveryMs = 5000 } = this.#parts;
    this.#ports = await this.#launch().ready;
    await Promise.all(Array.from({ length: config.workers - 1 }, () => this.#launch().ready));
    if (config.metricsPort !== null) {
      const pages = { render: () => this.#metrics() };
      const server = await listenMetrics(pages, { host: config.http.host, port: config.metricsPort });
      this.#closers.push(() => server.close());
    }
    const control = await listenControl({
      dataDir: config.dataDir,
      handlers: handlersBy((request) => this.#askOne(request)),
      logger,
    });
    const watch = setInterval(() => this.#killSilent(), pingEveryMs);
    this.#closers.push(
      () => control.close(),
      () => clearInterval(watch),
    );
  }

  #launch(): MemberProcess {
    const member = new MemberProcess(this.#parts.program, this.#member, this.#ports);
    const startedAt = performance.now();
    this.#members.add(member);
    void member.ended.then(() => this.#replace(member, performance.now() - startedAt));
    return member;
  }

  #replace(member: MemberProcess, livedMs: number): void {
    this.#members.delete(member);
    if (this.#isClosing) return;
    this.#failures = livedMs > STEADY_MS ? 0 : this.#failures + 1;
    const afterMs = this.#failures === 0 ? 0 : Math.min(RESTART_MS * 2 ** (this.#failures - 1), RESTART_MAX_MS);
    this.#parts.logger.error("process_ended", { durationMs: Math.round(livedMs) });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#launch();
    }, afterMs);
    this.#timers.add(timer);
  }

  #killSilent(): void {
    for (const member of this.#ready()) {
      if (member.missedPings >= MISSED_PINGS_MAX) member.kill();
      else member.ask({ call: "ping" }).catch(() => {});
    }
  }

  #ready(): MemberProcess[] {
    return [...this.#members].filter(({ isReady }) => isReady);
  }

  /** Any process can serve an operator's call, since all that is reported is in the database. */
  async #askOne(request: ControlRequest): Promise<unknown> {
    const [member] = this.#ready();
    if (member === undefined) throw new Error("no process runs");
    return await member.ask(request);
  }

  async #metrics(): Promise<string> {
    const pages = await Promise.all(this.#ready().map((member) => within(METRICS_MS, member.ask({ call: "metrics" }))));
    return mergeMetrics(pages.filter((page) => typeof page === "string"));
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}

const joins: Readonly<Record<string, (one: number, other: number) => number>> = {
  process_start_time_seconds: Math.min,
  nodejs_eventloop_lag_p99_seconds: Math.max,
  kauke_queue_deliveries: Math.max,
  kauke_queue_age_seconds: Math.max,
  kauke_provider_waiting: Math.max,
  kauke_provider_failed: Math.max,
  kauke_provider_differences: Math.max,
  kauke_own_domains_new: Math.max,
  kauke_own_domains_proven: Math.max,
  kauke_own_domains_failing: Math.max,
  kauke_own_domains_suspended: Math.max,
  kauke_own_domains_closed: Math.max,
  kauke_certificate_seconds_left: Math.min,
  kauke_disk_reserve_share: Math.min,
  kauke_store_sound: Math.min,
};
const sum = (one: number, other: number) => one + other;

export function mergeMetrics(pages: readonly string[]): string {
  /** Lines of the page of metrics: comments (without a value) and series, in the order of their first appearance. */
  const lines = new Map<string, number | null>();
  for (const line of pages.flatMap((page) => page.split("\n"))) {
    if (line === "") continue;
    const end = line.startsWith("#") ? -1 : line.lastIndexOf(" ");
    if (end < 0) lines.set(line, null);
    else {
      const series = line.slice(0, end);
      const value = Number(line.slice(end + 1));
      const known = lines.get(series);
      lines.set(series, typeof known !== "number" ? value : (joins[series] ?? sum)(known, value));
    }
  }
  return [...grouped(lines)].map(([name, value]) => (value === null ? name : `${name} ${value}`)).join("\n") + "\n";
}

function grouped(lines: ReadonlyMap<string, number | null>): Map<string, number | null> {
  const nameOf = (line: string) => (line.startsWith("#") ? line.split(" ", 3)[2] : line.split("{", 1)[0]) ?? "";
  const byName = Map.groupBy(lines, ([line]) => nameOf(line));
  return new Map([...byName.values()].flat());
}
