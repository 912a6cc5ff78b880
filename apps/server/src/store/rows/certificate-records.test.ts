import { expect, test } from "vitest";
import { onEachDatabase } from "../stores.testing.ts";

const MINUTE_MS = 60_000;

onEachDatabase((it) => {
  const records = () => it.store.certificateRecords;
  const inMinutes = (count: number) => new Date(it.clock.now().getTime() + count * MINUTE_MS);

  test("a value is read by kind and name, replaced by the next one, and gone once deleted", async () => {
    const account = { kind: "account", name: "https://issuer.example/", expiresAt: null } as const;
    await records().write({ ...account, value: { key: "first" } });
    await records().write({ ...account, value: { key: "second" } });
    expect(await records().read("account", account.name)).toEqual({ key: "second" });
    expect(await records().read("order", account.name)).toBeNull();
    expect(await records().list("account")).toEqual([{ name: account.name, value: { key: "second" } }]);
    await records().delete("account", account.name);
    expect(await records().list("account")).toEqual([]);
  });

  test("a lease is held by one, taken over once it has run out, and released by its holder alone", async () => {
    const first = await records().takeLease(inMinutes(5), inMinutes(0));
    expect(first).not.toBeNull();
    expect(await records().takeLease(inMinutes(9), inMinutes(4))).toBeNull();
    const second = await records().takeLease(inMinutes(10), inMinutes(5));
    expect(second).not.toBeNull();
    await records().releaseLease(first ?? "");
    expect(await records().takeLease(inMinutes(11), inMinutes(6))).toBeNull();
    await records().releaseLease(second ?? "");
    const takers = await Promise.all([1, 2, 3, 4].map(() => records().takeLease(inMinutes(12), inMinutes(7))));
    expect(takers.filter((id) => id !== null)).toHaveLength(1);
    await records().delete("lease", "order");
  });

  test("what expired is deleted, and what never expires is not", async () => {
    await records().write({ kind: "challenge", name: "a", value: "x", expiresAt: inMinutes(1) });
    await records().write({ kind: "challenge", name: "b", value: "x", expiresAt: null });
    expect(await records().deleteExpired(inMinutes(0))).toBe(0);
    expect(await records().deleteExpired(inMinutes(1))).toBe(1);
    expect((await records().list("challenge")).map(({ name }) => name)).toEqual(["b"]);
  });
});
