import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { AppError } from "../core/app-error.ts";
import { systemClock } from "../operate/clock.ts";
import { fakeOwner, obedientProgram, silentLogger } from "./fake-worker.testing.ts";
import type { ToWorker } from "./messages.ts";
import { storeMethods } from "./store-methods.ts";
import { type OwnerStore, WorkerCalls } from "./worker-calls.ts";

/** Property names that every JavaScript object or function inherits. */
const inherited = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "call"];
const permitted = Object.entries(storeMethods).flatMap(([part, methods]) => methods.map((name) => `${part}.${name}`));

/** A store whose methods, callable by workers or not, add their names to `called`. */
function notingStore(called: string[]): OwnerStore {
  const names = [...new Set([...Object.values(storeMethods).flat(), "deleteAccount", "find", "putBack", "hmac"])];
  const partOf = (part: string) =>
    Object.fromEntries(names.map((name) => [name, async () => void called.push(`${part}.${name}`)]));
  const parts = [...Object.keys(storeMethods), "sessions", "keys", "operator"];
  return Object.fromEntries(parts.map((part) => [part, partOf(part)])) as unknown as OwnerStore;
}

function callsOf(store: OwnerStore) {
  const server = { preview: () => undefined };
  return new WorkerCalls({ store, server, clock: systemClock, logger: silentLogger, isShuttingDown: () => false });
}

const nameOrHostile = fc.oneof(
  fc.constantFrom(...inherited, ...Object.keys(storeMethods), "server", "sessions", "keys", "operator"),
  fc.constantFrom(...Object.values(storeMethods).flat(), "deleteAccount", "putBack", "hmac"),
  fc.string(),
);

test("a mail worker calls no method outside the list, whatever names it sends", async () => {
  await fc.assert(
    fc.asyncProperty(nameOrHostile, nameOrHostile, async (part, method) => {
      const called: string[] = [];
      const calls = callsOf(notingStore(called));
      const outcome = await calls.run({ part, method, args: [] }).catch((thrown: unknown) => thrown);
      if (called.length > 0) expect(permitted).toContain(called[0]);
      else if (part !== "server" || method !== "preview") expect(outcome).toBeInstanceOf(Error);
    }),
    { numRuns: 2000 },
  );
});

test("control: a permitted call reaches the store", async () => {
  const called: string[] = [];
  await callsOf(notingStore(called)).run({ part: "aliases", method: "findRoute", args: ["a@kauke.test"] });
  expect(called).toEqual(["aliases.findRoute"]);
});

test("every permitted call with hostile arguments is answered by a value or an error, and nothing is thrown elsewhere", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...permitted),
      fc.array(fc.anything({ withMap: true, withDate: true, withNullPrototype: true, withTypedArray: true })),
      async (name, args) => {
        const [part = "", method = ""] = name.split(".");
        const calls = callsOf(notingStore([]));
        await calls.run({ part, method, args }).then(
          () => {},
          (thrown: unknown) => expect(thrown).toBeInstanceOf(Error),
        );
        await calls.recover().catch(() => {});
      },
    ),
    { numRuns: 1000 },
  );
});

test("a flood of calls by one worker is refused beyond a bound, and another worker's call is answered", async () => {
  let running = 0;
  let most = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const findRoute = async (address: string) => {
    if (address === "other@kauke.test") return null;
    most = Math.max(most, ++running);
    await released;
    running--;
    return null;
  };
  const owner = fakeOwner({ count: 2, store: { aliases: { findRoute } }, program: obedientProgram });
  await owner.workers.start();
  const [flooding, other] = owner.launched;
  const answers: ToWorker[] = [];
  flooding?.own.onMessage((message) => void answers.push(message));
  for (let id = 0; id < 8000; id++)
    flooding?.own.send({ kind: "call", id, part: "aliases", method: "findRoute", args: ["a@kauke.test"] });
  await vi.waitFor(() => expect(answers.length).toBe(3000));
  expect(most).toBe(5000);
  expect(answers.every((it) => it.kind === "error" && "code" in it.error && it.error.code === "unavailable")).toBe(
    true,
  );
  const answered = new Promise<ToWorker>((resolve) => other?.own.onMessage(resolve));
  other?.own.send({ kind: "call", id: 1, part: "aliases", method: "findRoute", args: ["other@kauke.test"] });
  expect(await answered).toEqual({ kind: "answer", id: 1, value: null });
  release();
  await vi.waitFor(() => expect(answers.length).toBe(8000));
  await owner.workers.close(0);
});

test("a refused call says no more than that it is forbidden", async () => {
  const thrown = await callsOf(notingStore([]))
    .run({ part: "sessions", method: "find", args: [] })
    .catch((it: unknown) => it);
  expect(thrown).toBeInstanceOf(AppError);
  expect((thrown as AppError).code).toBe("forbidden");
});
