import { beforeEach, expect, test } from "vitest";
import { MemoryBudget } from "../memory-budget.ts";
import { WaitingTransactions } from "./waiting-transactions.ts";

let now: number;
let budget: MemoryBudget;
let waiting: WaitingTransactions;
let answered: string[];
beforeEach(() => {
  now = 0;
  budget = new MemoryBudget(80);
  waiting = new WaitingTransactions(budget, () => now);
  answered = [];
});

/** @param name account and sequence number */
function add(name: string, bytes: number): () => void {
  budget.take(bytes);
  return waiting.add({ bytes, parties: () => [name.slice(0, 1)], answer: () => void answered.push(name) });
}

test("while there is memory all transactions wait for their destinations", () => {
  add("a1", 30);
  now = 5000;
  expect(budget.take(30)).toBe(true);
  expect(answered).toEqual([]);
});

test("when memory gets short, transactions of the account that used most for longest are answered, as few as needed", () => {
  for (const name of ["a1", "a2", "b1"]) {
    add(name, 20);
    now += 1000;
  }
  now += 1000;
  budget.take(15);
  expect(answered).toEqual(["a1"]);
  // The message of a1 is being spooled, which will free its bytes: no other transaction needs to end.
  now += 1000;
  budget.take(1);
  expect(answered).toEqual(["a1"]);
});

test("no transaction is answered before its destinations had a quarter of a second", () => {
  add("a1", 60);
  now = 200;
  budget.take(15);
  expect(answered).toEqual([]);
  now = 300;
  budget.take(1);
  expect(answered).toEqual(["a1"]);
});

test("a finished transaction is not asked to end", () => {
  const gone = add("a1", 60);
  gone();
  now = 5000;
  budget.take(15);
  expect(answered).toEqual([]);
});
