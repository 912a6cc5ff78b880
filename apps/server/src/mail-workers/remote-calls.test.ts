import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { AppError } from "../core/app-error.ts";
import { connectedLinks } from "./links.testing.ts";
import { remoteCalls } from "./remote-calls.ts";
import { errorToData } from "./remote-error.ts";

/** A worker's calls to an owner that answers them with the function `answer`. */
function calls(answer: (method: string, args: unknown[]) => unknown) {
  const links = connectedLinks();
  links.owner.onMessage((message) => {
    if (message.kind !== "call") return;
    const { id, method, args } = message;
    try {
      links.owner.send({ kind: "answer", id, value: answer(method, args) });
    } catch (thrown) {
      links.owner.send({ kind: "error", id, error: errorToData(thrown) });
    }
  });
  return { ...links, call: remoteCalls(links.worker) };
}

test("each call gets its own answer, and calls of one turn travel together", async () => {
  const { call, batches } = calls((method, args) => [method, ...args]);
  const answers = await Promise.all([call("part", "one", [1]), call("part", "two", [Buffer.from("x"), new Date(5)])]);
  expect(answers).toEqual([
    ["one", 1],
    ["two", Buffer.from("x"), new Date(5)],
  ]);
  expect(batches.map(({ length }) => length)).toEqual([2]);
});

test("an error keeps its code and its details", async () => {
  const { call } = calls(() => {
    throw new AppError("rate_limited", { resetAt: new Date(1000) });
  });
  const thrown = await call("part", "take", []).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(AppError);
  expect(thrown).toMatchObject({ code: "rate_limited", details: { resetAt: new Date(1000) } });
});

test("of another error only the class arrives, not its text", async () => {
  const { call } = calls(() => {
    throw new RangeError("ann@inbox.test");
  });
  const thrown = await call("part", "take", []).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ name: "RangeError" });
  expect(String(thrown)).not.toContain("ann@");
});

test("when the owner has ended, waiting calls and new ones fail with a temporary error", async () => {
  const { call, worker } = calls(() => "never");
  const waiting = call("part", "take", []);
  worker.end();
  await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
  await expect(call("part", "take", [])).rejects.toMatchObject({ code: "unavailable" });
  await turn();
});
