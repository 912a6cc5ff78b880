import { randomUUID } from "node:crypto";
import { expect, it as test } from "vitest";
import type { SeenRecord } from "../../../core/domain/account-domain.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const seen: readonly SeenRecord[] = [{ name: "ownership", state: "right", found: ["kauke-domain=token"] }];

onEachDatabase((it) => {
  const aDomain = () => `${randomUUID()}.example`;
  const add = async (userId: string, domain = aDomain(), max = 5) => {
    const added = await it.store.accountDomains.add({ userId, domain, token: "kauke-domain=token" }, { now, max });
    if (typeof added === "string") throw new Error(added);
    return added;
  };
  const prove = (userId: string, id: string) =>
    it.store.accountDomains.saveCheck({ userId, id }, { seen, verdict: "proves", begunAt: now, now });
  const provenDomain = async (userId: string, domain = aDomain()) => {
    const { id } = await add(userId, domain);
    expect(await prove(userId, id)).toBe("saved");
    return { id, domain };
  };

  test("a domain that was added has two keys, and belongs to its account", async () => {
    const [ann, bob] = [await insertUser(it.store), await insertUser(it.store)];
    const added = await add(ann.id);
    expect(added).toMatchObject({
      state: "new",
      provenAt: null,
      checkedAt: null,
      failingSince: null,
      stateUntil: null,
      seen: [],
      aliasCount: 0,
    });
    expect(added.dkim.map(({ selector }) => selector)).toEqual(["kauke1", "kauke2"]);
    expect(new Set(added.dkim.map(({ text }) => text)).size).toBe(2);
    for (const { domain, text } of added.dkim) {
      expect(domain).toBe(added.domain);
      expect(text).toMatch(/^v=DKIM1; k=rsa; p=MII/);
    }
    expect(await it.store.accountDomains.find(ann.id, added.id)).toEqual(added);
    expect(await it.store.accountDomains.find(bob.id, added.id)).toBeNull();
    expect(await it.store.accountDomains.list(bob.id)).toEqual([]);
    expect(await it.store.accountDomains.delete(bob.id, added.id)).toBe("gone");
    expect(await prove(bob.id, added.id)).toBe("gone");
    const other = await add(ann.id, `0${added.domain}`);
    expect((await it.store.accountDomains.list(ann.id)).map(({ domain }) => domain)).toEqual(
      [other.domain, added.domain].sort(),
    );
  });

  test("an account has a domain once, and no more than allowed, also when it adds several at once", async () => {
    const { id: userId } = await insertUser(it.store);
    const domain = aDomain();
    const same = [1, 2].map(() => it.store.accountDomains.add({ userId, domain, token: "t" }, { now, max: 2 }));
    expect((await Promise.all(same)).filter((one) => one === "exists")).toHaveLength(1);
    const more = [1, 2].map(() =>
      it.store.accountDomains.add({ userId, domain: aDomain(), token: "t" }, { now, max: 2 }),
    );
    expect((await Promise.all(more)).filter((one) => one === "full")).toHaveLength(1);
    expect(await it.store.accountDomains.list(userId)).toHaveLength(2);
  });

  test("a check is stored, and one that proves makes the domain known at once", async () => {
    const { id: userId } = await insertUser(it.store);
    const { id, domain } = await add(userId);
    expect(
      await it.store.accountDomains.saveCheck({ userId, id }, { seen, verdict: "unknown", begunAt: now, now }),
    ).toBe("saved");
    expect(await it.store.accountDomains.find(userId, id)).toMatchObject({ state: "new", seen, checkedAt: now });
    expect(it.store.provenDomains.find(domain)).toBeNull();
    expect(await it.store.accountDomainKeys.of(domain)).toEqual([]);
    expect(await prove(userId, id)).toBe("saved");
    expect(await it.store.accountDomains.find(userId, id)).toMatchObject({ state: "proven", provenAt: now });
    expect(it.store.provenDomains.find(domain)).toMatchObject({ id, userId });
    expect(it.store.provenDomains.ofAccount(userId)).toEqual([domain]);
    expect(
      await it.store.accountDomains.saveCheck({ userId, id }, { seen: [], verdict: "unknown", begunAt: now, now }),
    ).toBe("saved");
    expect(await it.store.accountDomains.find(userId, id)).toMatchObject({ state: "proven", seen: [] });
  });

  test("of several accounts that prove a domain at the same time one has it, and the others are told", async () => {
    const domain = aDomain();
    const users = await Promise.all([1, 2, 3].map(() => insertUser(it.store)));
    const added = await Promise.all(users.map((user) => add(user.id, domain)));
    const outcomes = await Promise.all(added.map(({ userId, id }) => prove(userId, id)));
    expect([...outcomes].sort()).toEqual(["saved", "taken", "taken"]);
    const winner = added[outcomes.indexOf("saved")];
    expect(it.store.provenDomains.find(domain)?.userId).toBe(winner?.userId);
    const loser = added[outcomes.indexOf("taken")];
    const stored = await it.store.accountDomains.find(String(loser?.userId), String(loser?.id));
    expect(stored).toMatchObject({ state: "new", seen, checkedAt: now });
    await it.store.accountDomains.delete(String(winner?.userId), String(winner?.id));
    expect(await prove(String(loser?.userId), String(loser?.id))).toBe("saved");
    expect(it.store.provenDomains.find(domain)?.userId).toBe(loser?.userId);
  });

  test("a domain with aliases is not removed, one without is", async () => {
    const [ann, bob] = [await insertUser(it.store), await insertUser(it.store)];
    const { id, domain } = await provenDomain(ann.id);
    const alias = await insertAlias(it.store, ann.id, { domain });
    await insertAlias(it.store, ann.id);
    expect((await it.store.accountDomains.find(ann.id, id))?.aliasCount).toBe(1);
    expect(await it.store.accountDomains.delete(ann.id, id)).toBe("in_use");
    expect(await it.store.accountDomains.delete(bob.id, id)).toBe("gone");
    await it.store.aliases.delete(ann.id, alias.id);
    expect(await it.store.accountDomains.delete(ann.id, id)).toBe("deleted");
    expect(it.store.provenDomains.find(domain)).toBeNull();
    expect(it.store.provenDomains.ofAccount(ann.id)).toEqual([]);
    expect(await it.store.accountDomains.delete(ann.id, id)).toBe("gone");
  });

  test("an alias that is made while its domain is removed is on the domain, or on none", async () => {
    const { id: userId } = await insertUser(it.store);
    for (let round = 0; round < 5; round += 1) {
      const { id, domain } = await provenDomain(userId);
      const making = insertAlias(it.store, userId, { domain }).then(
        () => "made",
        () => "refused",
      );
      const removed = await it.store.accountDomains.delete(userId, id);
      await making;
      const count = (await it.store.accountDomains.find(userId, id))?.aliasCount ?? null;
      expect([removed, count]).toEqual(removed === "in_use" ? ["in_use", 1] : ["deleted", null]);
    }
  });

  test("an account that is deleted takes its domains with it, and the next may prove them", async () => {
    const [ann, bob] = [await insertUser(it.store), await insertUser(it.store)];
    const { domain } = await provenDomain(ann.id);
    await insertAlias(it.store, ann.id, { domain });
    await it.store.users.delete(ann.id);
    expect(it.store.provenDomains.find(domain)).toBeNull();
    await provenDomain(bob.id, domain);
    expect(it.store.provenDomains.find(domain)?.userId).toBe(bob.id);
  });
});
