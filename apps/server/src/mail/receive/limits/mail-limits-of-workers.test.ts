import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mailLimitRules } from "../../../core/rate-limit/mail-limit-rules.ts";
import {
  connectedWorkers,
  fakedClock,
  flood,
  letWorkersKnow,
  OVERSHOOT,
} from "../../../core/worker-shares/connected-exchanges.testing.ts";
import type { WorkerShares } from "../../../core/worker-shares/worker-shares.ts";
import { MailLimits } from "./mail-limits.ts";

const WORKERS = 4;
const MAX = 100;
const metrics = { count() {}, gauge() {} };
const clock = fakedClock;
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
  const admitted = flood(workers, 6 * MAX, isAdmitted);
  expect(admitted).toBeGreaterThanOrEqual(MAX);
  expect(admitted).toBeLessThanOrEqual(MAX + OVERSHOOT);
  for (const worker of workers) {
    expect(worker.takeConnection(bystander)).toBe(true);
    expect(worker.takeRecipient(bystander)).toBe(true);
    expect(worker.isRouteOver({ aliasId: "another", userId: "other" })).toBe(false);
  }
});

// Control: without the exchange between workers, each of them admits the whole limit.
test.each(Object.entries(floods))("without an exchange the limit on %s multiplies", (_, isAdmitted) => {
  const { workers } = connectedWorkers(WORKERS, limitsWith, false);
  expect(flood(workers, 6 * MAX, isAdmitted)).toBe(WORKERS * MAX);
});

test("a worker that starts again knows who is over a limit", () => {
  const { workers, start } = connectedWorkers(WORKERS, limitsWith);
  flood(workers, 6 * MAX, floods["connections of a block"]);
  const late = start();
  letWorkersKnow();
  expect(late.takeConnection(attacker(0))).toBe(false);
  expect(late.takeConnection(bystander)).toBe(true);
});

test("each block of client addresses has its reserved part of an alias' limit once over all workers", () => {
  const { workers } = connectedWorkers(WORKERS, limitsWith);
  flood(workers, 6 * MAX, floods["mail to an alias"]);
  const fromBlock = (limits: MailLimits, request: number) => {
    const route = { aliasId: "alias", userId: "user" };
    if (limits.isRouteOver(route, attacker(request))) return false;
    limits.countRoute(route, attacker(request));
    return true;
  };
  const admitted = flood(workers, 6 * MAX, fromBlock);
  expect(admitted).toBeGreaterThanOrEqual(MAX / 50);
  // A worker admits at most the whole reserved part before it knows what the others admitted.
  expect(admitted).toBeLessThanOrEqual((WORKERS * MAX) / 50);
  letWorkersKnow();
  expect(workers.some((worker) => fromBlock(worker, 0))).toBe(false);
  expect(workers.every((worker) => fromBlock(worker, 300) === false)).toBe(true);
  expect(workers[0]?.isRouteOver({ aliasId: "alias", userId: "user" }, bystander)).toBe(false);
});

test("mail far below a limit causes no messages between workers, and what they withhold is a small part of it", () => {
  const usual = { max: 6000, windowSeconds: 86_400 };
  const usualRules = mailLimitRules(new Map([["mail_connections_ip", usual]]));
  const withUsual = (shares: WorkerShares) =>
    new MailLimits({ rules: usualRules as NonNullable<typeof usualRules>, clock, metrics, shares });
  const { workers, sent } = connectedWorkers(WORKERS, withUsual);
  letWorkersKnow();
  const before = sent();
  for (let block = 0; block < 100; block++) flood(workers, 20, (limits) => limits.takeConnection(`10.0.${block}.1`));
  letWorkersKnow();
  expect(sent()).toBe(before);
  const admitted = flood(workers, 2 * usual.max, (limits, request) => limits.takeConnection(attacker(request)));
  expect(admitted).toBeGreaterThanOrEqual(usual.max);
  expect(admitted).toBeLessThanOrEqual(usual.max + OVERSHOOT + (WORKERS * usual.max) / 256);
});
