import { randomUUID } from "node:crypto";
import { expect, it as test, vi } from "vitest";
import { changeSignals } from "../../change-signals.ts";
import { onEachContext } from "../../context.testing.ts";
import type { Store } from "../../open-store.ts";
import { insertUser, onEachDatabase } from "../../stores.testing.ts";
import { plantAccount } from "../accounts/account-rows.testing.ts";
import { openProvenDomains } from "./proven-domains.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

async function provenDomain(store: Store) {
  const { id: userId } = await insertUser(store);
  const domain = `${randomUUID()}.example`;
  const added = await store.accountDomains.add({ userId, domain, token: "t" }, { now, max: 5 });
  if (typeof added === "string") throw new Error(added);
  await store.accountDomains.saveCheck({ userId, id: added.id }, { seen: [], verdict: "proves", begunAt: now, now });
  return { userId, id: added.id, domain };
}

onEachDatabase((it) => {
  test.runIf(it.severalProcesses)(
    "a domain proven, removed or deleted in one process is so in the others within a second",
    async () => {
      const others = [await it.openSecond(), await it.openSecond()];
      const everywhere = (domain: string, owner: string | undefined) =>
        expect
          .poll(() => others.map((store) => store.provenDomains.find(domain)?.userId), { timeout: 1000, interval: 10 })
          .toEqual([owner, owner]);
      try {
        const [first, second] = [await provenDomain(it.store), await provenDomain(it.store)];
        await everywhere(first.domain, first.userId);
        await everywhere(second.domain, second.userId);
        for (const store of others) expect(store.provenDomains.ofAccount(first.userId)).toEqual([first.domain]);
        for (const store of others) expect(await store.accountDomainKeys.of(first.domain)).toHaveLength(1);
        expect(await it.store.accountDomains.delete(first.userId, first.id)).toBe("deleted");
        await everywhere(first.domain, undefined);
        for (const store of others) expect(await store.accountDomainKeys.of(first.domain)).toEqual([]);
        await it.store.users.delete(second.userId);
        await everywhere(second.domain, undefined);
      } finally {
        for (const store of others) await store.close();
      }
    },
  );

  test.runIf(it.severalProcesses)("a store that opens later knows what was proven before", async () => {
    const { domain, userId, id } = await provenDomain(it.store);
    const later = await it.openSecond();
    expect(later.provenDomains.find(domain)).toMatchObject({ id, userId });
    await later.close();
  });
});

onEachContext((fixture) => {
  test("rows that could not be read are read again, and until then an unknown domain may be proven", async () => {
    const context = { ...fixture.context, signals: changeSignals({ notify: false }) };
    const proven = await openProvenDomains(context, undefined);
    expect(proven.isCurrent()).toBe(true);
    const { userId } = await plantAccount(context);
    const opens = vi.spyOn(context.keys, "open").mockImplementationOnce(() => {
      throw new Error("the row can't be read now");
    });
    await context.signals.domainChanged("all");
    expect(opens).toHaveBeenCalled();
    expect(proven.isCurrent()).toBe(false);
    expect(proven.ofAccount(userId)).toEqual([]);
    await expect.poll(() => proven.ofAccount(userId), { timeout: 5000 }).toHaveLength(1);
    expect(proven.isCurrent()).toBe(true);
    context.signals.setListening(false);
    expect(proven.isCurrent()).toBe(false);
    opens.mockRestore();
    proven.close();
  });
});
