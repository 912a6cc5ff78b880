import { randomUUID } from "node:crypto";
import { expect, it as test } from "vitest";
import type { DomainVerdict } from "../../../core/domain/domain-standing.ts";
import type { Store } from "../../open-store.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;

onEachDatabase((it) => {
  const check = (place: { userId: string; id: string }, verdict: DomainVerdict) => {
    const now = it.clock.now();
    return it.store.accountDomains.saveCheck(place, { seen: [], verdict, begunAt: now, now });
  };
  const add = async (userId: string, domain = `${randomUUID()}.example`) => {
    const now = it.clock.now();
    const added = await it.store.accountDomains.add({ userId, domain, token: "t" }, { now, max: 9 });
    if (typeof added === "string") throw new Error(added);
    return { userId, id: added.id, domain };
  };
  const provenDomain = async (userId?: string, domain?: string) => {
    const place = await add(userId ?? (await insertUser(it.store)).id, domain);
    expect(await check(place, "proves")).toBe("saved");
    return place;
  };
  const claim = async (store: Store = it.store, most = 50) =>
    (await store.domainRechecks.claimDue({ most, leaseMs: MINUTE })).map(({ id }) => id);
  const settleAll = async () => {
    it.clock.advance(3 * DAY);
    for (;;) {
      const due = await it.store.domainRechecks.claimDue({ most: 50, leaseMs: MINUTE });
      if (due.length === 0) return;
      for (const one of due) await check(one, "unknown").then(() => check(one, "proves"));
    }
  };
  const failDays = async (place: { userId: string; id: string }, days: number) => {
    for (let day = 0; day < days; day++) {
      await check(place, "fails");
      it.clock.advance(DAY);
    }
    await check(place, "fails");
  };
  const stateOf = async ({ userId, id }: { userId: string; id: string }) =>
    (await it.store.accountDomains.find(userId, id))?.state;

  test("records that are wrong lead to failing, suspended, closed and new, with a notice of each", async () => {
    const place = await provenDomain();
    const { domain, userId } = place;
    const begun = it.clock.now();
    await check(place, "fails");
    expect(await it.store.accountDomains.find(userId, place.id)).toMatchObject({
      state: "failing",
      failingSince: begun,
      stateUntil: new Date(begun.getTime() + 7 * DAY),
    });
    expect(it.store.provenDomains.find(domain)?.state).toBe("failing");
    expect(it.store.provenDomains.ofAccount(userId)).toEqual([domain]);
    const kinds = async () => (await it.store.notices.listForUser(userId)).map(({ kind }) => kind);
    expect(await kinds()).toEqual(["domain_failing"]);
    await failDays(place, 7);
    expect(it.store.provenDomains.find(domain)?.state).toBe("suspended");
    expect(it.store.provenDomains.ofAccount(userId)).toEqual([]);
    await failDays(place, 7);
    expect(it.store.provenDomains.find(domain)?.state).toBe("closed");
    expect(await kinds()).toEqual(["domain_closed", "domain_suspended", "domain_failing"]);
    await failDays(place, 30);
    expect(await stateOf(place)).toBe("new");
    expect(it.store.provenDomains.find(domain)).toBeNull();
    const [last] = await it.store.notices.listForUser(userId);
    expect(last?.text).toContain(`${domain} is no longer reserved for you.`);
    expect(await it.store.accountDomains.find(userId, place.id)).toMatchObject({ provenAt: null, stateUntil: null });
  });

  test("a check that proves heals at once, and keeps the time of the first proof", async () => {
    const place = await provenDomain();
    const { provenAt } = (await it.store.accountDomains.find(place.userId, place.id)) ?? {};
    for (const days of [0, 7, 14]) {
      await failDays(place, days);
      await check(place, "proves");
      expect(await it.store.accountDomains.find(place.userId, place.id)).toMatchObject({
        state: "proven",
        provenAt,
        failingSince: null,
        stateUntil: null,
      });
      expect(it.store.provenDomains.find(place.domain)?.state).toBe("proven");
      await check(place, "proves");
    }
    const texts = (await it.store.notices.listForUser(place.userId)).map(({ text }) => text);
    const healed = `${place.domain} works again: its records in DNS are right, and its mail is accepted and sent.`;
    expect(texts.filter((text) => text === healed)).toHaveLength(3);
  });

  test("another account's proof is taken until the claim has ended; then it has the domain, without older aliases", async () => {
    const ann = await provenDomain();
    const alias = await insertAlias(it.store, ann.userId, { domain: ann.domain });
    const bob = await add((await insertUser(it.store)).id, ann.domain);
    for (const days of [0, 7, 7]) {
      expect(await check(bob, "proves")).toBe("taken");
      await failDays(ann, days);
    }
    expect(await stateOf(ann)).toBe("closed");
    expect(await check(bob, "proves")).toBe("taken");
    await failDays(ann, 30);
    expect(await stateOf(ann)).toBe("new");
    expect(await check(bob, "proves")).toBe("saved");
    expect(it.store.provenDomains.find(ann.domain)?.userId).toBe(bob.userId);
    expect(await check(ann, "proves")).toBe("taken");
    expect(await it.store.aliases.find(ann.userId, alias.id)).toBeNull();
    await it.store.accountDomains.delete(bob.userId, bob.id);
    expect(await check(ann, "proves")).toBe("saved");
  });

  test("no alias is made on a suspended domain as an own one", async () => {
    const place = await provenDomain();
    await failDays(place, 7);
    await insertAlias(it.store, place.userId, { domain: place.domain });
    expect((await it.store.accountDomains.find(place.userId, place.id))?.aliasCount).toBe(0);
  });

  test("a result that was asked for before a newer one was stored changes nothing", async () => {
    const place = await provenDomain();
    const begunAt = it.clock.now();
    it.clock.advance(1000);
    await check(place, "proves");
    it.clock.advance(1000);
    await it.store.accountDomains.saveCheck(place, { seen: [], verdict: "fails", begunAt, now: it.clock.now() });
    expect(await stateOf(place)).toBe("proven");
  });

  test("a proven domain is due about a day later, a new one never, and one of an account at a time", async () => {
    await settleAll();
    const { id: userId } = await insertUser(it.store);
    await add(userId);
    const mine = [(await provenDomain(userId)).id, (await provenDomain(userId)).id];
    it.clock.advance(21 * HOUR);
    expect((await claim()).filter((id) => mine.includes(id))).toEqual([]);
    it.clock.advance(5 * HOUR);
    const [first, ...others] = (await claim()).filter((id) => mine.includes(id));
    expect(others).toEqual([]);
    expect((await claim()).filter((id) => mine.includes(id))).toEqual([]);
    await check({ userId, id: String(first) }, "proves");
    expect((await claim()).filter((id) => mine.includes(id))).toEqual(mine.filter((id) => id !== first));
  });

  test("a lease that is released or has run out makes the domain due again", async () => {
    await settleAll();
    const { id } = await provenDomain();
    it.clock.advance(26 * HOUR);
    const due = await it.store.domainRechecks.claimDue({ most: 50, leaseMs: MINUTE });
    const mine = due.find((one) => one.id === id);
    expect(await claim()).not.toContain(id);
    if (mine !== undefined) await it.store.domainRechecks.release(mine);
    expect(await claim()).toContain(id);
    it.clock.advance(MINUTE);
    expect(await claim()).toContain(id);
  });

  test("a clock that was set back for years leaves no domain waiting for as long", async () => {
    await settleAll();
    it.clock.advance(1000 * DAY);
    const { id } = await provenDomain();
    it.clock.advance(-1000 * DAY);
    expect(await claim()).toContain(id);
  });

  test.runIf(it.severalProcesses)("of several processes one claims a domain", async () => {
    await settleAll();
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) ids.push((await provenDomain()).id);
    it.clock.advance(26 * HOUR);
    const second = await it.openSecond();
    try {
      const claims = await Promise.all([it.store, second, it.store, second].map((store) => claim(store, 3)));
      const claimed = claims.flat().filter((id) => ids.includes(id));
      expect(new Set(claimed).size).toBe(claimed.length);
      const rest = await claim(second);
      expect([...claimed, ...rest].filter((id) => ids.includes(id)).sort()).toEqual(ids.sort());
    } finally {
      await second.close();
    }
  });
});
