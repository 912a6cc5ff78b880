import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VaultError } from "./ask-worker.ts";
import { forgetDecrypted } from "./forget-decrypted.ts";
import { lockKeys, readUnlocked, runUnlocked, unlockKey } from "./unlocked-keys.ts";
import type { AnyJob } from "./vault-jobs.ts";

/** Workers in the order of their start; each answers a job by `respond`, or never. */
let workers: FakeWorker[] = [];
let respond: (job: AnyJob) => unknown = () => undefined;

class FakeWorker {
  isEnded = false;
  onmessage: ((event: { data: unknown }) => void) | null = null;

  constructor() {
    workers.push(this);
  }

  postMessage(job: AnyJob): void {
    const data = respond(job);
    if (data !== undefined) queueMicrotask(() => this.isEnded || this.onmessage?.({ data }));
  }

  terminate(): void {
    this.isEnded = true;
  }
}

const key = (id: string) => ({ id, keyName: id, encryptedPrivateKey: "armor", masterPassword: "six random words" });
const decrypting = () => runUnlocked("decryptBlocks", { text: "armor", opener: { unlocked: true } }, {});
const ended = new VaultError("ended");

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("window", { addEventListener: () => {} });
  vi.stubGlobal("location", { origin: "http://localhost" });
  vi.stubEnv("DEV", true);
  workers = [];
  respond = ({ name }) => ({ result: name });
});

afterEach(() => {
  lockKeys();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test("a key stays open for ten minutes in one worker, and a second one starts them again for both", async () => {
  await unlockKey(key("a"), {});
  vi.advanceTimersByTime(9 * 60_000);
  await unlockKey(key("b"), {});
  vi.advanceTimersByTime(9 * 60_000);
  expect(readUnlocked()?.keys.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(await decrypting()).toBe("decryptBlocks");
  expect(workers).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  expect([readUnlocked(), workers[0]?.isEnded]).toEqual([null, true]);
  await expect(decrypting()).rejects.toEqual(ended);
});

test("a computer that slept through the ten minutes finds the keys locked", async () => {
  await unlockKey(key("a"), {});
  vi.setSystemTime(Date.now() + 11 * 60_000);
  expect([readUnlocked(), workers[0]?.isEnded]).toEqual([null, true]);
});

test("a wrong password leaves no worker behind, and the keys that are open", async () => {
  respond = () => ({ failure: "wrong_password" });
  await expect(unlockKey(key("a"), {})).rejects.toEqual(new VaultError("wrong_password"));
  expect([readUnlocked(), workers[0]?.isEnded]).toEqual([null, true]);
  respond = () => ({ result: "" });
  await unlockKey(key("a"), {});
  respond = () => ({ failure: "wrong_password" });
  await expect(unlockKey(key("b"), {})).rejects.toEqual(new VaultError("wrong_password"));
  expect([readUnlocked()?.keys.length, workers[1]?.isEnded]).toEqual([1, false]);
});

test("locking ends a job that is being done and those that wait for it; the end of a session locks", async () => {
  await unlockKey(key("a"), {});
  respond = () => undefined;
  const both = [decrypting(), decrypting()].map((job) => expect(job).rejects.toEqual(ended));
  forgetDecrypted();
  await Promise.all(both);
  expect([readUnlocked(), workers[0]?.isEnded]).toEqual([null, true]);
  respond = () => ({ result: "" });
  await unlockKey(key("a"), {});
  expect(readUnlocked()?.keys).toHaveLength(1);
});

test("of more than eight keys the oldest is locked", async () => {
  for (let number = 0; number < 10; number++) await unlockKey(key(String(number)), {});
  expect(readUnlocked()?.keys.map(({ id }) => id)).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
});
