import { afterEach, expect, test } from "vitest";
import { asAppError } from "../../core/app-error.ts";
import type { SharedChildOptions } from "../../runtime/threads/child-worker.ts";
import { type ClosableLeakGuard, leakGuardWorker } from "./leak-guard-worker.ts";

let guard: ClosableLeakGuard;
afterEach(() => guard.close());

const program = new URL("../../runtime/threads/child-worker.testing.ts", import.meta.url);
const start = (change: Partial<SharedChildOptions> = {}) => {
  guard = leakGuardWorker({ program, ...change });
};

const tooLongForTheEventLoop = "x".repeat(20_000);

/**
 * Searches through the test program, which reads its orders from the content.
 * @returns "searched", or the code of the refusal
 */
const search = (userId: string, after = 20) =>
  guard.search({ userId, mailboxes: [], content: { kind: "text", text: tooLongForTheEventLoop, after } as never }).then(
    () => "searched",
    (thrown) => asAppError(thrown)?.code ?? "not ours",
  );

test("when some accounts fill all slots, one job is evicted for an account that asks for the first time", async () => {
  start();
  await search("mallory0");
  const crowd = Array.from({ length: 17 }, (_, account) =>
    Array.from({ length: 4 }, () => search(`mallory${account}`)),
  ).flat();
  const isAnswered: string[] = [];
  for (const answer of crowd) void answer.then((code) => isAnswered.push(code));
  expect(await search("innocent")).toBe("searched");
  // One search ran, one was evicted, and perhaps a second ran before that of the new account: the other sixty still
  // wait.
  expect(isAnswered.filter((code) => code === "searched").length).toBeLessThan(20);
  // Of the 68 searches, 65 found a slot (one running, 64 waiting), of which one was then evicted for the new account.
  expect((await Promise.all(crowd)).filter((code) => code === "busy")).toHaveLength(68 - 65 + 1);
});

test("an account that used much of the process' time waits behind one that used little", async () => {
  start();
  await search("mallory", 300);
  await search("ann", 1);
  const order: string[] = [];
  const asked = ["mallory", "mallory", "mallory", "ann", "ann"].map((userId) =>
    search(userId, userId === "ann" ? 1 : 50).then(() => order.push(userId)),
  );
  await Promise.all(asked);
  expect(order).toEqual(["mallory", "ann", "ann", "mallory", "mallory"]);
});

test("searches that wait when it closes are not run, and end as unavailable", async () => {
  start();
  await search("ann");
  const waiting = [search("ann", 10_000), search("ann")];
  await guard.close();
  expect(await Promise.all(waiting)).toEqual(["unavailable", "unavailable"]);
  expect(await search("ann")).toBe("unavailable");
});

test("a subject or a short text is searched without the process", async () => {
  start({ program: new URL("file:///no/such/program.ts") });
  const found = (kind: "text" | "subject", text: string) =>
    guard.search({ userId: "ann", mailboxes: ["ann@inbox.example"], content: { kind, text } });
  expect(await found("text", "write to ann@inbox.example")).toMatchObject({ leak: "address" });
  expect(await found("subject", "(ann@inbox.example)")).toMatchObject({ leak: "address" });
  expect(await found("text", "write to bob@inbox.example")).toBeNull();
});
