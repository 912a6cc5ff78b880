import { randomUUID } from "node:crypto";
import { expect, it as test } from "vitest";
import type { SeenRecord } from "../../../core/domain/account-domain.ts";
import { insertUser, onEachDatabase } from "../../stores.testing.ts";

const MINUTE = 60_000;

onEachDatabase((it) => {
  const seen = (state: SeenRecord["state"]): SeenRecord[] => [{ name: "mta_sts_host", state, found: [] }];
  const check = (place: { userId: string; id: string }, state: SeenRecord["state"], verdict = "proves" as const) => {
    const now = it.clock.now();
    return it.store.accountDomains.saveCheck(place, { seen: seen(state), verdict, begunAt: now, now });
  };
  const provenDomain = async (userId: string) => {
    const domain = `${randomUUID()}.example`;
    const now = it.clock.now();
    const added = await it.store.accountDomains.add({ userId, domain, token: "t" }, { now, max: 9 });
    if (typeof added === "string") throw new Error(added);
    return { userId, id: added.id, domain };
  };
  const claim = (most = 50) => it.store.policyCertificates.claimDue({ most, leaseMs: MINUTE });
  const certificates = () => it.store.policyCertificates;

  test("a certificate is due while the policy host leads here, and what DNS does not say changes nothing", async () => {
    const { id: userId } = await insertUser(it.store);
    const place = await provenDomain(userId);
    const mine = async () => (await claim()).filter((due) => due.userId === userId);
    const hasHost = () => it.store.provenDomains.find(place.domain)?.hasPolicyHost;
    await check(place, "missing");
    expect([await mine(), hasHost()]).toEqual([[], false]);
    await check(place, "right");
    const [due] = await mine();
    expect([due?.domain, hasHost()]).toEqual([place.domain, true]);
    expect(await mine()).toEqual([]);
    if (due === undefined) return;
    await certificates().settle(due, { state: "served", dueAt: it.clock.now() });
    const policy = async () => (await it.store.accountDomains.find(userId, place.id))?.policy;
    expect(await policy()).toBe("served");
    await check(place, "unread");
    const [again] = await mine();
    expect([again?.domainId, hasHost()]).toEqual([place.id, true]);

    // It ceases to lead here while an order runs, and its document stays for its return.
    await certificates()
      .recordsOf(place.id)
      .write({ kind: "state", name: "", value: { failures: 3 }, expiresAt: null });
    await check(place, "wrong");
    if (again !== undefined) await certificates().settle(again, { state: "delayed", dueAt: it.clock.now() });
    expect([await mine(), hasHost(), await policy()]).toEqual([[], false, "none"]);
    await check(place, "right");
    expect(await policy()).toBe("delayed");
    expect(await mine()).toHaveLength(1);
    expect(await certificates().recordsOf(place.id).read("state", "")).toEqual({ failures: 3 });
  });

  test("accounts take turns, however many certificates one waits for", async () => {
    const [{ id: many }, { id: other }] = [await insertUser(it.store), await insertUser(it.store)];
    for (const userId of [many, many, many, other]) await check(await provenDomain(userId), "right");
    const ours = (await claim()).filter(({ userId }) => userId === many || userId === other);
    expect(ours.map(({ userId }) => userId).sort()).toEqual([many, other].sort());
    expect((await claim()).filter(({ userId }) => userId === many)).toEqual([]);
    it.clock.advance(2 * MINUTE);
    expect((await claim()).filter(({ userId }) => userId === many)).toHaveLength(1);
  });

  test("records of a domain are its own, go with it, and share one account at the issuer apart from the server's", async () => {
    const { id: userId } = await insertUser(it.store);
    const [one, two] = [await provenDomain(userId), await provenDomain(userId)];
    for (const place of [one, two]) await check(place, "right");
    const [ofOne, ofTwo] = [one, two].map(({ id }) => certificates().recordsOf(id));
    const write = (kind: "certificate" | "account" | "challenge", name: string, value: unknown) =>
      ofOne?.write({ kind, name, value, expiresAt: null });
    await write("certificate", "policy", { cert: "c" });
    await write("account", "https://issuer.example", { key: "k" });
    await write("challenge", "tls-alpn-01 mta-sts.own.example", "proof");
    expect(await ofOne?.read("certificate", "policy")).toEqual({ cert: "c" });
    expect(await ofTwo?.read("certificate", "policy")).toBeNull();
    expect(await ofTwo?.read("account", "https://issuer.example")).toEqual({ key: "k" });
    expect(await it.store.certificateRecords.read("account", "https://issuer.example")).toBeNull();
    expect(await it.store.certificateRecords.list("challenge")).toEqual([]);
    await ofOne?.delete("certificate", "policy");
    expect(await ofOne?.read("certificate", "policy")).toBeNull();
    await write("certificate", "policy", { cert: "c" });
    expect(await it.store.accountDomains.delete(userId, one.id)).toBe("deleted");
    await write("certificate", "policy", { cert: "d" });
    expect(await ofOne?.read("certificate", "policy")).toBeNull();
  });
});
