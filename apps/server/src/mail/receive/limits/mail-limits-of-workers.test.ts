import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Clock } from "../../../core/ports.ts";
import { mailLimitRules } from "../../../core/rate-limit/mail-limit-rules.ts";
import { connectedWorkers, SHARED_AFTER_MS } from "../../../core/worker-shares/connected-exchanges.testing.ts";
import type { WorkerShares } from "../../../core/worker-shares/worker-shares.ts";
import { MailLimits } from "./mail-limits.ts";

const WORKERS = 4;
const MAX = 100;
const metrics = { count() {}, gauge() {} };
const clock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };
const rule = { max: MAX, windowSeconds: 86_400 };
const rules = mailLimitRules(
  new Map(["mail_connections_ip", "mail_recipients_ip", "mail_alias"].map((name) => [name, rule])),
);
const limitsWith = (shares: WorkerShares) =>
  new MailLimits({ rules: rules as NonNullable<typeof rules>, clock, metrics, shares });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const attacker = (connection: number) => `192.0.2.${connection % 256}`;
const bystander = "198.51.100.7";
/** Milliseconds between two requests of the attacker. */
const EVERY_MS = 2;

/** Asks the workers in turns, as a client does that spreads its connections. @returns how many were admitted */
function flood(workers: readonly MailLimits[], isAdmitted: (limits: MailLimits, request: number) => boolean): number {
  let admitted = 0;
  for (let request = 0; request < 6 * MAX; request++) {
    const worker = workers[request % workers.length] as MailLimits;
    if (isAdmitted(worker, request)) admitted++;
    vi.advanceTimersByTime(EVERY_MS);
  }
  return admitted;
}

/** What the attacker can send before all workers know of it. */
const OVERSHOOT = Math.ceil(SHARED_AFTER_MS / EVERY_MS);

const floods = {
  "connections of a block": (limits: MailLimits, request: number) => limits.takeConnection(attacker(request)),
  "recipients of a block": (limits: MailLimits, request: number) => limits.takeRecipient(attacker(request)),
  "mail to an alias": (limits: MailLimits) => {
    const route = { aliasId: "alias", userId: "user" };
    if (limits.isRouteOver(route)) return false;
    limits.countRoute(route);
    return true;
  },
};

test.each(Object.entries(floods))("the limit on %s holds over all workers", (_, isAdmitted) => {
  const { workers } = connectedWorkers(WORKERS, limitsWith);
  const admitted = flood(workers, isAdmitted);
  expect(admitted).toBeGreaterThanOrEqual(MAX);
  expect(admitted).toBeLessThanOrEqual(MAX + OVERSHOOT);
  for (const worker of workers) {
    expect(worker.takeConnection(bystander)).toBe(true);
    expect(worker.takeRecipient(bystander)).toBe(true);
    expect(worker.isRouteOver({ aliasId: "another", userId: "other" })).toBe(false);
  }
});

// Control: this is what the exchange prevents.
test.each(Object.entries(floods))("without an exchange the limit on %s multiplies", (_, isAdmitted) => {
  const { workers } = connectedWorkers(WORKERS, limitsWith, false);
  expect(flood(workers, isAdmitted)).toBe(WORKERS * MAX);
});

test("a worker that starts again knows who is over a limit", () => {
  const { workers, start } = connectedWorkers(WORKERS, limitsWith);
  flood(workers, floods["connections of a block"]);
  const late = start();
  vi.advanceTimersByTime(2 * SHARED_AFTER_MS);
  expect(late.takeConnection(attacker(0))).toBe(false);
  expect(late.takeConnection(bystander)).toBe(true);
});

test("each block of client addresses has its reserved part of an alias' limit once over all workers", () => {
  const { workers } = connectedWorkers(WORKERS, limitsWith);
  flood(workers, floods["mail to an alias"]);
  const fromBlock = (limits: MailLimits, request: number) => {
    const route = { aliasId: "alias", userId: "user" };
    if (limits.isRouteOver(route, attacker(request))) return false;
    limits.countRoute(route, attacker(request));
    return true;
  };
  const admitted = flood(workers, fromBlock);
  expect(admitted).toBeGreaterThanOrEqual(MAX / 50);
  // A worker admits at most the whole reserved part before it knows of the others.
  expect(admitted).toBeLessThanOrEqual((WORKERS * MAX) / 50);
  vi.advanceTimersByTime(SHARED_AFTER_MS);
  expect(workers.some((worker) => fromBlock(worker, 0))).toBe(false);
  expect(workers.every((worker) => fromBlock(worker, 300) === false)).toBe(true);
  expect(workers[0]?.isRouteOver({ aliasId: "alias", userId: "user" }, bystander)).toBe(false);
});
