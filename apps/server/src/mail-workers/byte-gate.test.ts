import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ByteGate } from "./byte-gate.ts";

/** A gate of 10 bytes, and the sizes of the calls that it let through, in the order in which they began. */
function gateWithWork() {
  const gate = new ByteGate(10);
  const begun: number[] = [];
  const endings = new Map<number, () => void>();
  const send = (bytes: number) =>
    gate.pass(bytes, () => {
      begun.push(bytes);
      return new Promise<void>((end) => void endings.set(bytes, end));
    });
  const end = async (bytes: number) => {
    endings.get(bytes)?.();
    await turn();
  };
  return { gate, begun, send, end };
}

test("works whose bytes fit together run at the same time; the next waits until they fit", async () => {
  const { begun, send, end } = gateWithWork();
  for (const bytes of [4, 6, 3]) void send(bytes);
  await turn();
  expect(begun).toEqual([4, 6]);
  await end(4);
  expect(begun).toEqual([4, 6, 3]);
});

test("a large work goes alone, and smaller ones that came later do not overtake it", async () => {
  const { begun, send, end } = gateWithWork();
  for (const bytes of [5, 50, 1]) void send(bytes);
  await turn();
  expect(begun).toEqual([5]);
  await end(5);
  expect(begun).toEqual([5, 50]);
  await end(50);
  expect(begun).toEqual([5, 50, 1]);
});

test("a work that fails frees its bytes", async () => {
  const { gate, begun, send } = gateWithWork();
  await expect(gate.pass(10, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  void send(10);
  await turn();
  expect(begun).toEqual([10]);
});
