import { expect, test } from "vitest";
import { AttemptRoom } from "./attempt-room.ts";

/** @returns number of attempts that could start */
function begin(room: AttemptRoom, account: string, count: number): number {
  let begun = 0;
  for (let n = 0; n < count && room.hasRoom(account); n++) {
    room.enter(account);
    begun++;
  }
  return begun;
}

test("an account has its share of attempts, and may start another for each that ends", () => {
  const room = new AttemptRoom({ all: 100, account: 20 });
  expect(begin(room, "a", 50)).toBe(20);
  expect(begin(room, "b", 5)).toBe(5);
  room.leave("a");
  expect(begin(room, "a", 50)).toBe(1);
});

test("at the total limit, accounts below an equal part may start attempts, up to twice the limit, then one each", () => {
  const room = new AttemptRoom({ all: 40, account: 20 });
  expect(begin(room, "a", 50) + begin(room, "b", 50)).toBe(40);
  // The third account may start a third of 40 attempts, the fourth a quarter.
  expect(begin(room, "c", 50)).toBe(14);
  expect(begin(room, "d", 50)).toBe(10);
  expect(room.hasRoom("a")).toBe(false);
  let total = 64;
  for (let n = 0; total < 80; n++) total += begin(room, `e${n}`, 50);
  expect(total).toBe(80);
  expect([begin(room, "f", 50), begin(room, "g", 50)]).toEqual([1, 1]);
});

test("mail to the operator counts as an account", () => {
  const room = new AttemptRoom({ all: 10, account: 2 });
  room.enter("");
  room.enter("");
  expect(room.hasRoom(null)).toBe(false);
  room.leave("");
  expect(room.hasRoom(null)).toBe(true);
});
