import { expect, test } from "vitest";
import { chooseEvicted, type KeptMail } from "./kept-mail-shares.ts";

const bounds = { maxMessages: 10, maxBytes: 1000 };
const mail = (id: string, block: string, more: Partial<KeptMail<string>> = {}): KeptMail<string> => {
  return { id, sizeBytes: 10, block, network: `${block}.1`, ...more };
};

test("nothing is evicted while everything fits", () => {
  expect(chooseEvicted([mail("a", "1"), mail("b", "1")], bounds)).toEqual([]);
});

test("the oldest message of the largest block is evicted; blocks with little mail keep even older messages", () => {
  const quiet = ["q1", "q2"].map((id) => mail(id, id));
  const flood = Array.from({ length: 11 }, (_, n) => mail(`f${n}`, "9"));
  expect(chooseEvicted([...quiet, ...flood], bounds)).toEqual(["f0", "f1", "f2"]);
});

test("a few large messages count as much as many small ones", () => {
  const small = Array.from({ length: 6 }, (_, n) => mail(`s${n}`, "1"));
  const large = [mail("l1", "2", { sizeBytes: 500 }), mail("l2", "2", { sizeBytes: 500 })];
  expect(chooseEvicted([...small, ...large], bounds)).toEqual(["l1"]);
});

test("within a block, the network with the most mail loses a message", () => {
  const neighbour = mail("n", "1", { network: "1.7" });
  const flood = Array.from({ length: 10 }, (_, n) => mail(`f${n}`, "1"));
  expect(chooseEvicted([neighbour, ...flood], bounds)).toEqual(["f0"]);
});

test("a new message larger than all others together is evicted itself", () => {
  expect(chooseEvicted([mail("a", "1"), mail("new", "2", { sizeBytes: 1001 })], bounds)).toEqual(["new"]);
});
