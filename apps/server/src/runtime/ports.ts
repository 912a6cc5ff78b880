import { randomBytes, randomUUID } from "node:crypto";

export interface Clock {
  now(): Date;
  /** Monotonic milliseconds; a test's clock may leave it out, and `now` is used instead. */
  steadyMs?(): number;
}

/** Monotonic milliseconds, for durations in this process; `now` is for times that are stored, shown or sent. */
export function steadyMs(clock: Clock): number {
  return clock.steadyMs?.() ?? clock.now().getTime();
}

export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

/** Named events with counts, ids, codes and durations, from an allow-list (`platform/telemetry/logger.ts`). */
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

/** Metrics for `/metrics`: fixed names, and labels with a closed set of values. */
export interface Metrics {
  count(name: string, labels?: Record<string, string>, by?: number): void;
  gauge(name: string, read: () => number): void;
}

/** Random integer from 0 to `bound` - 1, without modulo bias. */
export function randomBelow(random: Pick<Random, "bytes">, bound: number): number {
  const fairBelow = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE();
    if (drawn < fairBelow) return drawn % bound;
  }
}

export function randomText(random: Pick<Random, "bytes">, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomBelow(random, alphabet.length)]).join("");
}

/** 32 random bytes as base64url: 43 characters. */
export function randomToken(random: Pick<Random, "bytes">): string {
  return random.bytes(32).toString("base64url");
}

export const systemClock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };

/** Maximum clock difference between processes. */
const SKEW_MS = 5 * 60_000;

/** Latest plausible time of a stored row. After the clock was set back, a later time must delay no work. */
export function latestKnown(now: Date): Date {
  return new Date(now.getTime() + SKEW_MS);
}

export function isFromFuture(at: Date, now: Date): boolean {
  return at > latestKnown(now);
}
