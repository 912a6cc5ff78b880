import { randomUUID } from "node:crypto";
import { expect, it as test } from "vitest";
import type { DomainVerdict } from "../../../core/domain/domain-standing.ts";
import { aMessage, anOpenDelivery } from "../../rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const DAY = 86_400_000;

onEachDatabase((it) => {
  const check = (place: { userId: string; id: string }, verdict: DomainVerdict) => {
    const now = it.clock.now();
    return it.store.accountDomains.saveCheck(place, { seen: [], verdict, begunAt: now, now });
  };
  const add = async (domain = `${randomUUID()}.example`, userId?: string) => {
    const place = { userId: userId ?? (await insertUser(it.store)).id, domain };
    const added = await it.store.accountDomains.add({ ...place, token: "t" }, { now: it.clock.now(), max: 9 });
    if (typeof added === "string") throw new Error(added);
    return { ...place, id: added.id };
  };
  const provenDomain = async (domain?: string) => {
    const place = await add(domain);
    expect(await check(place, "proves")).toBe("saved");
    return place;
  };
  const lose = async (place: { userId: string; id: string }) => {
    for (let day = 0; day < 60; day += 1) {
      await check(place, "fails");
      it.clock.advance(DAY);
    }
    expect((await it.store.accountDomains.find(place.userId, place.id))?.state).toBe("new");
  };
  const textsOf = async (userId: string) => (await it.store.notices.listForUser(userId)).map(({ text }) => text);
  const aliasOn = ({ userId, domain }: { userId: string; domain: string }, name?: string) =>
    insertAlias(it.store, userId, { domain, isOnOwnDomain: true, ...(name === undefined ? {} : { name }) });

  test("a new owner's proof ends the former account's aliases, and all names are the new owner's at once", async () => {
    const ann = await provenDomain();
    const [info, shop] = [await aliasOn(ann, "info"), await aliasOn(ann, "shop")];
    const elsewhere = await insertAlias(it.store, ann.userId);
    await it.store.aliases.delete(ann.userId, shop.id);
    const path = { id: Buffer.from(randomUUID()), aliasId: info.id, sealed: Buffer.from("sealed") };
    await it.store.replyPaths.ensure([path], { now: it.clock.now(), account: ann.userId });
    await lose(ann);
    const bob = await add(ann.domain);
    const heard: unknown[] = [];
    it.store.aliases.onRouteChange((change) => void heard.push(change));
    expect(await check(bob, "proves")).toBe("saved");
    // Cached routes of the former account.
    expect(heard).toContain("all");
    expect((await it.store.aliases.listForUser(ann.userId)).map(({ id }) => id)).toEqual([elsewhere.id]);
    expect(await it.store.replyPaths.find(path.id)).toBeNull();
    expect(await it.store.aliases.isFree(bob.userId, `shop@${bob.domain}`)).toBe(true);
    for (const name of ["info", "shop"]) await aliasOn(bob, name);
    expect((await it.store.aliases.findRoute(`info@${bob.domain}`))?.userId).toBe(bob.userId);
    const told = (await textsOf(ann.userId)).filter((text) => text.includes("Another account has proven"));
    expect(told).toEqual([expect.stringMatching(/have ended: 1\.$/)]);
    await check(bob, "proves");
    await check(ann, "proves");
    expect((await textsOf(ann.userId)).filter((text) => text.includes("Another account has proven"))).toEqual(told);
    expect((await it.store.accountDomains.find(bob.userId, bob.id))?.aliasCount).toBe(2);
  });

  test("whoever holds a domain is told once of any number of claims, and keeps it", async () => {
    const ann = await provenDomain();
    const rivals = [await add(ann.domain), await add(ann.domain), await add(ann.domain)];
    for (const rival of rivals)
      for (let again = 0; again < 3; again += 1) expect(await check(rival, "proves")).toBe("taken");
    const claims = async () => (await it.store.notices.listForUser(ann.userId)).map(({ kind }) => kind);
    expect(await claims()).toEqual(["domain_claimed"]);
    for (const rival of rivals) expect(await textsOf(rival.userId)).toEqual([]);
    it.clock.advance(8 * DAY);
    await Promise.all(rivals.map((rival) => check(rival, "proves")));
    expect(await claims()).toEqual(["domain_claimed", "domain_claimed"]);
    expect(it.store.provenDomains.find(ann.domain)?.userId).toBe(ann.userId);
  });

  test("a domain is removed with its aliases in steps, and another account may prove it and use their names", async () => {
    const ann = await provenDomain();
    const info = await aliasOn(ann, "info");
    for (let count = 0; count < 300; count += 1) await aliasOn(ann);
    expect(await it.store.accountDomains.delete(ann.userId, ann.id)).toBe("in_use");
    expect((await it.store.accountDomains.find(ann.userId, ann.id))?.state).toBe("proven");
    expect(await it.store.accountDomains.delete(ann.userId, ann.id, { withAliases: true })).toBe("deleted");
    expect(await it.store.aliases.listForUser(ann.userId)).toEqual([]);
    expect(await it.store.accountDomains.list(ann.userId)).toEqual([]);
    expect(it.store.provenDomains.find(ann.domain)).toBeNull();
    expect(await it.store.aliases.findRouteById(info.id)).toBeNull();
    const bob = await provenDomain(ann.domain);
    await aliasOn(bob, "info");
    expect(await add(ann.domain, ann.userId)).toMatchObject({ domain: ann.domain });
  });

  test("an alias that is being deleted keeps no domain", async () => {
    const ann = await provenDomain();
    const { id } = await aliasOn(ann);
    const deleteAt = new Date(it.clock.now().getTime() + 600_000);
    await it.store.aliases.deleteLater(ann.userId, [id], { deleteAt, network: null });
    expect((await it.store.accountDomains.find(ann.userId, ann.id))?.aliasCount).toBe(0);
    expect(await it.store.accountDomains.delete(ann.userId, ann.id)).toBe("deleted");
    expect(await it.store.aliases.find(ann.userId, id)).toBeNull();
  });

  test("mail that was accepted before a removal is delivered first, while the domain takes no more", async () => {
    const ann = await provenDomain();
    const [busy, idle] = [await aliasOn(ann), await aliasOn(ann)];
    const message = aMessage();
    const delivery = anOpenDelivery(message, busy);
    await it.store.deliveries.enqueue(message, [delivery]);
    await it.store.accountDomains.delete(ann.userId, ann.id, { withAliases: true });
    expect(await it.store.accountDomains.list(ann.userId)).toEqual([]);
    expect(it.store.provenDomains.find(ann.domain)?.state).toBe("closed");
    expect(await it.store.aliases.findRouteById(idle.id)).toBeNull();
    expect(await it.store.aliases.findRouteById(busy.id)).not.toBeNull();
    await expect(aliasOn(ann)).rejects.toMatchObject({ code: "invalid" });
    await expect(add(ann.domain, ann.userId)).rejects.toThrow("ending");
    expect(await check(ann, "proves")).toBe("gone");
    await it.store.accountDomains.endAliases(ann);
    expect(await it.store.aliases.findRouteById(busy.id)).not.toBeNull();
  });

  test("a removal or takeover that a process left undone is due, and is not looked up", async () => {
    const ann = await provenDomain();
    const message = aMessage();
    const delivery = anOpenDelivery(message, await aliasOn(ann));
    await it.store.deliveries.enqueue(message, [delivery]);
    await it.store.accountDomains.delete(ann.userId, ann.id, { withAliases: true });
    it.clock.advance(120_000);
    const due = await it.store.domainRechecks.claimDue({ most: 99, leaseMs: 60_000 });
    expect(due.find((one) => one.id === ann.id)).toMatchObject({ isEnding: true, userId: ann.userId });
  });
});
