import { expect, test } from "vitest";
import { overdue, type SessionProgress, slowestFirst, smtpSessionTimes as times } from "./session-limits.ts";

const session = (more: Partial<SessionProgress> = {}): SessionProgress => ({
  isBusy: false,
  since: 0,
  lastMailAt: 0,
  isStranger: false,
  data: null,
  ...more,
});
const data = (receivedBytes: number, heldBytes = receivedBytes) => ({ receivedBytes, heldBytes });

test("a line, a message and a connection without mail each have a timeout", () => {
  expect(overdue(session(), times.lineMs, times)).toBeNull();
  expect(overdue(session(), times.lineMs + 1, times)).toBe("line");
  expect(overdue(session({ data: data(1) }), times.lineMs + 1, times)).toBeNull();
  expect(overdue(session({ data: data(1) }), times.dataMs + 1, times)).toBe("data");
  expect(overdue(session({ since: times.withoutMailMs }), times.withoutMailMs + 1, times)).toBe("no_mail");
});

test("a client that waits for our reply is never overdue", () => {
  expect(overdue(session({ isBusy: true }), 1e9, times)).toBeNull();
});

test("the slowest sessions are chosen first, and only as many as needed to free the memory", () => {
  const named = (name: string, progress: SessionProgress) => ({ name, progress });
  const all = [
    named("fast", session({ data: data(100e6) })),
    named("slow", session({ data: data(600_000) })),
    named("slower", session({ data: data(100_000) })),
    named("slowest", session({ data: data(1000) })),
    named("just begun", session({ since: 15_000, data: data(10) })),
    named("nothing kept", session({ data: data(10, 0) })),
    named("being answered", session({ isBusy: true, data: data(10) })),
    named("no message", session()),
  ];
  const chosen = (bytes: number) => slowestFirst(all, bytes, { now: 20_000, times }).map((it) => it.name);
  expect(chosen(1)).toEqual(["slowest"]);
  expect(chosen(1001)).toEqual(["slowest", "slower"]);
  expect(chosen(1e9)).toEqual(["slowest", "slower", "slow"]);
  expect(chosen(0)).toEqual([]);
});
