import { randomUUID } from "node:crypto";
import { publicDkimKey } from "@kauke/mail-rfc";
import { expect, it, vi } from "vitest";
import type { ProvenDomains } from "../../../core/domain/account-domain.ts";
import { bounds } from "../../../limits/table.ts";
import { onEachContext } from "../../context.testing.ts";
import { aUser } from "../../rows.testing.ts";
import { accountDomainStore } from "./account-domains.ts";
import { accountDomainKeys, makeDomainKeys, sealedKeyRow } from "./domain-keys.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

onEachContext((fixture) => {
  const addDomain = async (domain: string) => {
    const { context } = fixture;
    const { id: userId } = aUser();
    const row = {
      id: userId,
      auth_method: "email",
      created_at: now,
      updated_at: now,
      sealed: Buffer.alloc(1),
    } as const;
    await context.db
      .insertInto("user")
      .values({ ...row, email_index: null, wallet_index: null, google_index: null })
      .execute();
    const domains = accountDomainStore(context, { forgetBodies: async () => {} });
    const added = await domains.add({ userId, domain, token: "t" }, { now, max: 5 });
    if (typeof added === "string") throw new Error(added);
    return added;
  };

  it("the key that signs is the one published first, and only for a proven domain", async () => {
    const domain = `${randomUUID()}.example`;
    const { id, userId, dkim } = await addDomain(domain);
    let isProven = false;
    const proven: ProvenDomains = {
      find: () => (isProven ? { id, userId, state: "proven" } : null),
      ofAccount: () => [],
    };
    const keys = accountDomainKeys(fixture.context, proven);
    expect(await keys.of(domain)).toEqual([]);
    isProven = true;
    const opened = await keys.of(domain);
    expect(opened.map(publicDkimKey)).toEqual([dkim[0]]);
    expect(await keys.of(domain)).toBe(opened);
    isProven = false;
    expect(await keys.of(domain)).toEqual([]);
  });

  it("of many domains a bounded number of keys is open, and the others open again", async () => {
    const { context } = fixture;
    const most = bounds.remembered.accountDkimKeys;
    const { id: owned, userId } = await addDomain(`${randomUUID()}.example`);
    const [made] = await makeDomainKeys("many.example");
    if (made === undefined) throw new Error("no key");
    const domains = Array.from({ length: most + 10 }, (_, place) => `d${place}.example`);
    const ids = new Map(domains.map((domain) => [domain, randomUUID()]));
    const template = await context.db
      .selectFrom("account_domain")
      .selectAll()
      .where("id", "=", owned)
      .executeTakeFirst();
    if (template === undefined) throw new Error("no row");
    for (const id of ids.values()) {
      await context.db
        .insertInto("account_domain")
        .values({ ...template, id, domain_index: Buffer.from(id) })
        .execute();
      await context.db
        .insertInto("account_domain_key")
        .values(sealedKeyRow(context.keys, { ...made, domainId: id, now }))
        .execute();
    }
    const find = (domain: string) => ({ id: ids.get(domain) ?? "", userId, state: "proven" as const });
    const opens = vi.spyOn(context.keys, "open");
    const keys = accountDomainKeys(context, { find, ofAccount: () => [] });
    for (const domain of domains) expect(await keys.of(domain)).toHaveLength(1);
    expect(opens).toHaveBeenCalledTimes(domains.length);
    await keys.of(domains.at(-1) ?? "");
    expect(opens).toHaveBeenCalledTimes(domains.length);
    await keys.of("d0.example");
    expect(opens).toHaveBeenCalledTimes(domains.length + 1);
    opens.mockRestore();
  });

  it("concurrent messages open a key once, and a failed read is repeated", async () => {
    const { context } = fixture;
    const domain = `${randomUUID()}.example`;
    const { id, userId } = await addDomain(domain);
    const keys = accountDomainKeys(context, { find: () => ({ id, userId, state: "proven" }), ofAccount: () => [] });
    const opens = vi.spyOn(context.keys, "open").mockImplementationOnce(() => {
      throw new Error("the database does not answer");
    });
    const failing = await Promise.allSettled([keys.of(domain), keys.of(domain)]);
    expect(failing.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const [one, two] = await Promise.all([keys.of(domain), keys.of(domain)]);
    expect(one).toHaveLength(1);
    expect(two).toBe(one);
    expect(opens).toHaveBeenCalledTimes(2);
    opens.mockRestore();
  });
});
