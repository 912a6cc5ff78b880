/** Ports of core besides the store: clock, randomness, log, metrics. Faked in testkit, real in main. */
import { randomBytes, randomUUID } from "node:crypto";

export interface Clock {
  now(): Date;
  /** Monotonic milliseconds, see the function `steadyMs`. A test's clock may leave it out; `now` is used instead. */
  steadyMs?(): number;
}

/**
 * Monotonic milliseconds, for durations within this process: not affected when the system clock is set. Use `now` for
 * times that people read, that are stored, or that are compared with other programs.
 */
export function steadyMs(clock: Clock): number {
  return clock.steadyMs?.() ?? clock.now().getTime();
}

export interface Random {
  bytes(length: number): Buffer;
  /** A random UUID (RFC 9562 version 4). */
  uuid(): string;
}

/**
 * Logs named events with counts, ids, codes and durations only: the field names are an allow-list
 * (`platform/telemetry/logger.ts`).
 */
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
  /** Class and our own stack frames of an unexpected error, never its message. */
  stack?: string;
}

/** Counters and gauges for `/metrics`. Names are fixed, and each label has a closed set of values. */
export interface Metrics {
  count(name: string, labels?: Record<string, string>, by?: number): void;
  /** Registers a gauge. The readings of several gauges with one name are added up. */
  gauge(name: string, read: () => number): void;
}

export const systemClock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };

/** Tolerated difference between the clocks of several processes. */
const SKEW_MS = 5 * 60_000;

/**
 * The latest time that a stored row can have; a later time means that the clock was set back after the row was written.
 */
export function latestKnown(now: Date): Date {
  return new Date(now.getTime() + SKEW_MS);
}

export function isFromFuture(at: Date, now: Date): boolean {
  return at > latestKnown(now);
}
