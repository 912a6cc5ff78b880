import { expect, it } from "vitest";
import type { FailureCode } from "../../core/delivery/delivery.ts";
import { deferred, taken, untried } from "../classify-reply.ts";
import { WaitingMail } from "./destination-health.ts";

const unreachable = deferred("unreachable", "4.4.1");

it("deliveries waiting for a destination are due once it takes a message, at most one batch a second", () => {
  let now = 0;
  const waiting = new WaitingMail(undefined, () => now);
  for (let index = 0; index < 70; index++) waiting.note("a.example", `a${index}`, unreachable);
  waiting.note("b.example", "b0", unreachable);
  expect(waiting.note("a.example", "new", taken)).toEqual(Array.from({ length: 50 }, (_, index) => `a${index}`));
  expect(waiting.note("a.example", "a0", taken)).toEqual([]);
  now += 1000;
  expect(waiting.note("a.example", "a1", taken)).toHaveLength(20);
  expect(waiting.size).toBe(1);
});

it.each<[FailureCode]>([["mailbox_full"], ["try_later"], ["login_failed"]])("%s keeps the retry schedule", (code) => {
  const waiting = new WaitingMail();
  waiting.note("a.example", "a0", deferred(code, "4.2.2"));
  waiting.note("a.example", "a1", untried);
  expect(waiting.size).toBe(0);
});

it("each destination has a share, and at the total limit the one with the most deliveries is evicted", () => {
  const waiting = new WaitingMail({ all: 5, destination: 3 });
  for (let index = 0; index < 4; index++) waiting.note("a.example", `a${index}`, unreachable);
  expect(waiting.size).toBe(3);
  for (let index = 0; index < 2; index++) waiting.note("b.example", `b${index}`, unreachable);
  waiting.note("c.example", "c0", unreachable);
  expect(waiting.size).toBe(3);
  expect(waiting.note("b.example", "x", taken)).toEqual(["b0", "b1"]);
});
