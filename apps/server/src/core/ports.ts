/** What core needs of the outside world besides the store. Faked in testkit, real in main. */

export interface Clock {
  now(): Date;
  /** See `steadyMs`. A test's clock may leave it out: then `now` stands for both. */
  steadyMs?(): number;
}

/**
 * Milliseconds for durations within this process: they go on evenly when somebody sets the clock. The time of day is for what people
 * read, and for what is stored or compared with other programs.
 */
export function steadyMs(clock: Clock): number {
  return clock.steadyMs?.() ?? clock.now().getTime();
}

export interface Random {
  bytes(length: number): Buffer;
  /** RFC 9562 version 4. */
  uuid(): string;
}

/** Log events by name. Only counts, ids, codes and durations: the field names are an allow-list (`operate/telemetry/logger.ts`). */
export interface Logger {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface LogFields {
  id?: string;
  code?: string;
  status?: number;
  count?: number;
  bytes?: number;
  durationMs?: number;
  port?: number;
  service?: string;
  route?: string;
  method?: string;
  incident?: string;
  /** Class and our own stack frames of an unexpected throw, never its message. */
  stack?: string;
}

/** Counters and gauges for `/metrics`; names are fixed, labels are closed sets. */
export interface Metrics {
  count(name: string, labels?: Record<string, string>, by?: number): void;
  gauge(name: string, read: () => number): void;
}
