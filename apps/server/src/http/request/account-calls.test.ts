import { expect, test } from "vitest";
import { AccountCalls } from "./account-calls.ts";

test("an account has four concurrent calls, further ones start in order, and other accounts do not wait", async () => {
  const calls = new AccountCalls();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (userId: string, name: string) =>
    calls.run(userId, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const all = ["a1", "a2", "a3", "a4", "a5", "a6"].map((name) => begin("ann", name));
  all.push(begin("bob", "b1"));
  expect(begun).toEqual(["a1", "a2", "a3", "a4", "b1"]);
  ends.get("a2")?.();
  await expect.poll(() => begun.at(-1)).toBe("a5");
  ends.get("a1")?.();
  await expect.poll(() => begun.at(-1)).toBe("a6");
  for (const end of ends.values()) end();
  await Promise.all(all);
});

test("a failed call frees its place, and when two hundred wait, the next is refused as busy", async () => {
  const calls = new AccountCalls();
  for (let times = 0; times < 5; times++)
    await expect(calls.run("ann", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  const held = Promise.withResolvers<void>();
  const all = Array.from({ length: 204 }, () => calls.run("ann", () => held.promise));
  await expect(calls.run("ann", async () => {})).rejects.toMatchObject({ code: "busy" });
  held.resolve();
  await Promise.all(all);
});
