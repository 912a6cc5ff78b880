import { randomUUID } from "node:crypto";
import { expect, it as test, vi } from "vitest";
import type { DomainCheck } from "../../../core/domain/account-domain.ts";
import { type AppearRules, noneAppear } from "../../../core/domain/appear-rules.ts";
import { anAlias } from "../../rows.testing.ts";
import { insertUser, onEachDatabase } from "../../stores.testing.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const rules: AppearRules = { appear: "prefixes", prefixes: ["shop."], neverNames: ["spam"] };
const proof: DomainCheck = { seen: [], verdict: "proves", begunAt: now, now };

onEachDatabase((it) => {
  const addDomain = async (userId: string, isProven = true) => {
    const domain = `${randomUUID()}.example`;
    const added = await it.store.accountDomains.add({ userId, domain, token: "t" }, { now, max: 5 });
    if (typeof added === "string") throw new Error(added);
    if (isProven) await it.store.accountDomains.saveCheck({ userId, id: added.id }, proof);
    return { userId, id: added.id, domain };
  };
  const find = (domain: string) => it.store.appearingDomains.find(domain);

  test("rules of a proven domain apply when the change resolves, and stay with the next check", async () => {
    const { id: userId } = await insertUser(it.store);
    const own = await addDomain(userId);
    expect((await it.store.accountDomains.find(userId, own.id))?.appearing).toEqual(noneAppear);
    expect(await find(own.domain)).toBeNull();
    expect(await it.store.accountDomains.changeAppearing(own, () => rules)).toBe(true);
    expect(await find(own.domain)).toEqual({ id: own.id, userId, rules, never: new Set(["spam"]) });
    await it.store.accountDomains.saveCheck({ userId, id: own.id }, proof);
    expect((await it.store.accountDomains.find(userId, own.id))?.appearing).toEqual(rules);
    await it.store.accountDomains.changeAppearing(own, (before) => ({ ...before, appear: "all" }));
    expect((await find(own.domain))?.rules).toEqual({ ...rules, appear: "all" });
    await it.store.accountDomains.changeAppearing(own, (before) => ({ ...before, appear: "off" }));
    expect(await find(own.domain)).toBeNull();
    await it.store.accountDomains.changeAppearing(own, () => rules);
    await it.store.accountDomains.delete(userId, own.id);
    expect(await find(own.domain)).toBeNull();
  });

  test("nothing appears on a domain that is not proven, and nobody else changes the rules", async () => {
    const [ann, bob] = [await insertUser(it.store), await insertUser(it.store)];
    const own = await addDomain(ann.id, false);
    expect(await it.store.accountDomains.changeAppearing({ ...own, userId: bob.id }, () => rules)).toBe(false);
    expect(await it.store.accountDomains.changeAppearing(own, () => rules)).toBe(true);
    expect(await find(own.domain)).toBeNull();
    await it.store.accountDomains.saveCheck(own, proof);
    expect((await find(own.domain))?.rules).toEqual(rules);
  });

  test("aliases appear while records fail, but not on a suspended or closed domain, until it is proven again", async () => {
    const { id: userId } = await insertUser(it.store);
    const own = await addDomain(userId);
    await it.store.accountDomains.changeAppearing(own, () => rules);
    const alias = () => anAlias(userId, { domain: own.domain, isOnOwnDomain: true });
    const seen = new Map<string, boolean>();
    let at = now;
    while (!seen.has("new")) {
      at = new Date(at.getTime() + 86_400_000);
      await it.store.accountDomains.saveCheck(own, { seen: [], verdict: "fails", begunAt: at, now: at });
      const { state = "gone" } = (await it.store.accountDomains.find(userId, own.id)) ?? {};
      if (seen.has(state)) continue;
      seen.set(state, (await find(own.domain)) !== null);
      const inserted = it.store.aliases.insert(alias());
      if (state === "failing") await inserted;
      else await expect(inserted).rejects.toMatchObject({ code: "invalid" });
    }
    expect([...seen]).toEqual([
      ["failing", true],
      ["suspended", false],
      ["closed", false],
      ["new", false],
    ]);
    await it.store.accountDomains.saveCheck(own, { ...proof, begunAt: at, now: at });
    expect((await find(own.domain))?.rules).toEqual(rules);
  });

  test("names that are refused at the same time are all on the list, and a refused change changes nothing", async () => {
    const { id: userId } = await insertUser(it.store);
    const own = await addDomain(userId);
    const names = Array.from({ length: 8 }, (_, at) => `name${at}`);
    await Promise.all(
      names.map((name) =>
        it.store.accountDomains.changeAppearing(own, (before) => ({
          ...before,
          appear: "all",
          neverNames: [...before.neverNames, name],
        })),
      ),
    );
    expect([...((await find(own.domain))?.never ?? [])].sort()).toEqual(names);
    const failing = it.store.accountDomains.changeAppearing(own, () => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect((await find(own.domain))?.rules.neverNames).toHaveLength(8);
  });

  test("another process hears of new rules", async (context) => {
    if (!it.severalProcesses) return context.skip();
    await using second = { store: await it.openSecond(), [Symbol.asyncDispose]: () => second.store.close() };
    const { id: userId } = await insertUser(it.store);
    const own = await addDomain(userId);
    await it.store.accountDomains.changeAppearing(own, () => rules);
    await vi.waitFor(async () => expect((await second.store.appearingDomains.find(own.domain))?.rules).toEqual(rules));
    await it.store.accountDomains.changeAppearing(own, () => ({ ...rules, neverNames: ["spam", "more"] }));
    await vi.waitFor(async () =>
      expect((await second.store.appearingDomains.find(own.domain))?.never.has("more")).toBe(true),
    );
  });

  test("an alias says which mail made it, until it is kept", async () => {
    const { id: userId } = await insertUser(it.store);
    const { domain } = await addDomain(userId);
    const madeByMail = { organisation: "sender.example", at: now };
    const alias = anAlias(userId, { domain, madeByMail });
    await it.store.aliases.insert(alias);
    expect((await it.store.aliases.find(userId, alias.id))?.madeByMail).toEqual(madeByMail);
    await it.store.aliases.update(userId, alias.id, () => ({ notes: "x" }));
    expect((await it.store.aliases.listForUser(userId))[0]?.madeByMail).toEqual(madeByMail);
    await it.store.aliases.update(userId, alias.id, () => ({ madeByMail: null }));
    expect(await it.store.aliases.find(userId, alias.id)).not.toHaveProperty("madeByMail");
  });
});
