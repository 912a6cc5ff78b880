import { randomUUID } from "node:crypto";
import { accountDomainMessages, aliasMessages, type DomainRecordWire } from "@kauke/contract";
import { isProviderRun } from "@kauke/testkit/provider-run";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";
import { addDomain, FakeDomainDns, proveDomain } from "./own-domains.testing.ts";

const dns = new FakeDomainDns();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ domainDns: dns });
});
afterAll(() => server.close());

const aPerson = () => new Visitor(server).register();
let count = 0;
const aName = () => `own-${++count}.example`;

const list = async (person: Visitor) => (await person.call("listAccountDomains")).body;
const add = (person: Visitor, domain: unknown) => person.call("addAccountDomain", { body: { domain } });
const check = (person: Visitor, domainId: string) => person.call("checkAccountDomain", { params: { domainId } });
const remove = (person: Visitor, domainId: string) => person.call("deleteAccountDomain", { params: { domainId } });
const statesOf = ({ records }: { records: DomainRecordWire[] }) =>
  Object.fromEntries(records.map(({ name, state }) => [name, state]));

// With a forwarding provider there are no own domains, so the whole file is about our own engine.
describe.skipIf(isProviderRun)("own domains", () => {
  describe("adding", () => {
    it("shows the records to publish, none of them read yet, and takes no mail", async () => {
      const ann = await aPerson();
      const name = aName();
      const added = await addDomain(ann, ` ${name.toUpperCase()}. `);
      expect(added).toMatchObject({ domain: name, state: "new", provenAt: null, checkedAt: null, aliasCount: 0 });
      expect(new Set(Object.values(statesOf(added)))).toEqual(new Set(["unread"]));
      expect(added.records.map(({ host, type }) => `${type} ${host}`)).toEqual([
        `TXT _kauke.${name}`,
        `MX ${name}`,
        `TXT ${name}`,
        `TXT kauke1._domainkey.${name}`,
        `TXT kauke2._domainkey.${name}`,
        `TXT _dmarc.${name}`,
        `TXT _smtp._tls.${name}`,
      ]);
      const [ownership, mx, , dkim, next] = added.records;
      expect(ownership?.value).toMatch(/^kauke-domain=[a-z2-7]{26}$/);
      expect(mx).toMatchObject({ value: "mail.kauke.test", priority: 10 });
      expect(dkim?.value).toMatch(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{300,}$/);
      expect(next?.value).not.toBe(dkim?.value);
      expect(server.store.provenDomains.find(name)).toBeNull();
      expect(await list(ann)).toEqual({ domains: [added], max: 5 });
    });

    it("shows a name in Unicode as people write it", async () => {
      const added = await addDomain(await aPerson(), "Ąžuolas.LT");
      expect([added.domain, added.shownDomain]).toEqual(["xn--uolas-2wa16f.lt", "ąžuolas.lt"]);
    });

    it.each([
      ["no domain", accountDomainMessages.invalid],
      ["", accountDomainMessages.invalid],
      ["a".repeat(256), accountDomainMessages.invalid],
      ["own\u0000.example", accountDomainMessages.invalid],
      ["<script>.example", accountDomainMessages.invalid],
      ["ann@own.example", accountDomainMessages.invalid],
      [null, accountDomainMessages.invalid],
      [["own.example"], accountDomainMessages.invalid],
      ["co.uk", accountDomainMessages.suffix],
      ["kauke.test", accountDomainMessages.ofServer],
      ["MAIL.Kauke.test.", accountDomainMessages.ofServer],
      ["a.slapta.test", accountDomainMessages.ofServer],
    ])("%j is refused", async (domain, message) => {
      const { status, body } = await add(await aPerson(), domain);
      expect([status, body]).toEqual([400, { code: "invalid", message, errors: { domain: [message] } }]);
    });

    it("refuses a domain that the account has, in any spelling", async () => {
      const ann = await aPerson();
      const name = aName();
      await addDomain(ann, name);
      expect(await add(ann, `${name.toUpperCase()}.`)).toMatchObject({ status: 409, body: { code: "domain_exists" } });
    });

    it("refuses more domains than the operator allows, until one is removed", async () => {
      const few = await startTestServer({ domainDns: dns, config: { userDomains: 2 } });
      const ann = await new Visitor(few).register();
      const first = await addDomain(ann, aName());
      await addDomain(ann, aName());
      const full = { code: "not_possible", message: accountDomainMessages.tooMany };
      expect(await add(ann, aName())).toMatchObject({ status: 409, body: full });
      expect((await list(ann)).max).toBe(2);
      expect((await remove(ann, first.id)).status).toBe(200);
      await addDomain(ann, aName());
      await few.close();
    });

    it("is limited over time, since each domain gets two keys", async () => {
      const limits = new Map([["domain_add", { max: 1, windowSeconds: 60 }]]);
      const strict = await startTestServer({ config: { limits } });
      const ann = await new Visitor(strict).register();
      const { id } = await addDomain(ann, aName());
      await remove(ann, id);
      expect((await add(ann, "no domain")).status).toBe(400);
      expect(await add(ann, aName())).toMatchObject({ status: 429, body: { code: "rate_limited" } });
      strict.clock.advance(60);
      await addDomain(ann, aName());
      await strict.close();
    });
  });

  describe("a check", () => {
    it("proves a domain once ownership and MX are found, and tells what else is missing", async () => {
      const ann = await aPerson();
      const added = await addDomain(ann, aName());
      const nothing = await check(ann, added.id);
      expect(nothing.body).toMatchObject({ state: "new", checkedAt: server.clock.now().toISOString() });
      expect(new Set(Object.values(statesOf(nothing.body)))).toEqual(new Set(["missing"]));
      const [ownership, mx] = added.records as [DomainRecordWire, DomainRecordWire];
      dns.publish({ records: [ownership] });
      expect((await check(ann, added.id)).body).toMatchObject({ state: "new" });
      dns.publish({ records: [mx] });
      const { body } = await check(ann, added.id);
      expect(body).toMatchObject({ state: "proven", provenAt: server.clock.now().toISOString() });
      expect(statesOf(body)).toMatchObject({ ownership: "right", mx: "right", spf: "missing", dkim: "missing" });
      expect(server.store.provenDomains.find(added.domain)).toMatchObject({ userId: ann.userId });
      dns.publish({ records: added.records.slice(2) });
      expect(new Set(Object.values(statesOf((await check(ann, added.id)).body)))).toEqual(new Set(["right"]));
    });

    it("shows what DNS returned instead, few entries and short ones, and stores it", async () => {
      const ann = await aPerson();
      const added = await addDomain(ann, aName());
      dns.mx.set(added.domain, [{ exchange: "MX.Other.example.", priority: 5 }]);
      dns.txt.set(
        `_kauke.${added.domain}`,
        [...Array(20).keys()].map((index) => `${index}${"\u202e\u0000x".repeat(500)}`),
      );
      const { body } = await check(ann, added.id);
      expect(statesOf(body)).toMatchObject({ ownership: "wrong", mx: "wrong" });
      expect(body.records[1].found).toEqual(["5 mx.other.example"]);
      expect(body.records[0].found).toHaveLength(5);
      expect(body.records[0].found[0]).toBe(`0${"\ufffd\ufffdx".repeat(500)}`.slice(0, 300));
      expect((await list(ann)).domains).toEqual([body]);
    });

    it("proves nothing while other hosts get a part of the mail", async () => {
      const ann = await aPerson();
      const added = await addDomain(ann, aName());
      dns.publish(added);
      dns.mx.get(added.domain)?.push({ exchange: "mx.other.example", priority: 20 });
      const { body } = await check(ann, added.id);
      expect([body.state, statesOf(body)["mx"]]).toEqual(["new", "conflict"]);
    });

    it("of a proven domain changes nothing while DNS fails, and begins its grace when the records are gone", async () => {
      const ann = await aPerson();
      const { id, domain, provenAt } = await proveDomain(dns, ann, aName());
      dns.isFailing = true;
      const failed = (await check(ann, id)).body;
      dns.isFailing = false;
      expect(failed).toMatchObject({ state: "proven", provenAt });
      expect(new Set(Object.values(statesOf(failed)))).toEqual(new Set(["unread"]));
      dns.txt.clear();
      dns.mx.clear();
      const failingSince = server.clock.now().toISOString();
      expect((await check(ann, id)).body).toMatchObject({ state: "failing", provenAt, failingSince });
      expect(server.store.provenDomains.find(domain)?.state).toBe("failing");
    });

    it("asks DNS anew each time, and not for a domain of another account", async () => {
      const [ann, eve] = [await aPerson(), await aPerson()];
      const { id } = await addDomain(ann, aName());
      const before = dns.asked;
      await check(ann, id);
      await check(ann, id);
      expect(dns.asked).toBe(before + 2);
      expect((await check(eve, id)).status).toBe(404);
      expect(dns.asked).toBe(before + 2);
    });

    it("is limited over time", async () => {
      const limits = new Map([["domain_check", { max: 2, windowSeconds: 60 }]]);
      const strict = await startTestServer({ config: { limits } });
      const ann = await new Visitor(strict).register();
      const { id } = await addDomain(ann, aName());
      for (const status of [200, 200, 429]) expect((await check(ann, id)).status).toBe(status);
      strict.clock.advance(60);
      expect((await check(ann, id)).status).toBe(200);
      await strict.close();
    });

    it("at once of two accounts with the same domain proves it for one, and tells the other", async () => {
      const [ann, ben] = [await aPerson(), await aPerson()];
      const name = aName();
      const [hers, his] = [await addDomain(ann, name), await addDomain(ben, name)];
      expect(hers.records[0]?.value).not.toBe(his.records[0]?.value);
      dns.publish(hers);
      dns.publish({ records: his.records.slice(0, 1) });
      const replies = await Promise.all([check(ann, hers.id), check(ben, his.id)]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const refused = replies.find(({ status }) => status === 409);
      expect(refused?.body).toEqual({ code: "domain_taken", message: accountDomainMessages.taken });
      const owners = [await list(ann), await list(ben)].flatMap(({ domains }) => domains).map(({ state }) => state);
      expect(owners.toSorted()).toEqual(["new", "proven"]);
      const [loser, lost] = replies[0]?.status === 409 ? [ann, hers] : [ben, his];
      expect(statesOf((await list(loser)).domains[0])).toMatchObject({ ownership: "right", mx: "right" });
      expect((await check(loser, lost.id)).status).toBe(409);
    });

    it("proves nothing for an account whose own token is not there", async () => {
      const [ann, eve] = [await aPerson(), await aPerson()];
      const name = aName();
      await proveDomain(dns, ann, name);
      const hers = await addDomain(eve, name);
      const { status, body } = await check(eve, hers.id);
      expect([status, body.state, statesOf(body)["ownership"]]).toEqual([200, "new", "wrong"]);
      expect(server.store.provenDomains.find(name)).toMatchObject({ userId: ann.userId });
    });
  });

  describe("removing", () => {
    it("waits until the domain has no aliases, and then takes no more mail", async () => {
      const ann = await aPerson();
      const { id, domain } = await proveDomain(dns, ann, aName());
      const alias = await ann.createAlias({ domain });
      expect((await list(ann)).domains).toMatchObject([{ aliasCount: 1 }]);
      const inUse = { code: "domain_in_use", message: accountDomainMessages.inUse };
      expect(await remove(ann, id)).toMatchObject({ status: 409, body: inUse });
      await ann.call("deleteAlias", { params: { aliasId: alias.id } });
      expect((await remove(ann, id)).status).toBe(200);
      expect(server.store.provenDomains.find(domain)).toBeNull();
      expect((await list(ann)).domains).toEqual([]);
      expect((await remove(ann, id)).status).toBe(404);
      const again = { alias: "again", domain, forwardTo: "ann@example.org" };
      expect((await ann.call("createAlias", { body: again })).status).toBe(400);
    });

    it("ends the aliases on it once its name is confirmed", async () => {
      const ann = await aPerson();
      const { id, domain } = await proveDomain(dns, ann, `ąžuolas.${aName()}`);
      const alias = await ann.createAlias({ domain });
      const remove = (confirm: string) =>
        ann.call("deleteAccountDomain", { params: { domainId: id }, query: { confirm } });
      for (const confirm of ["", "DELETE", "other.example", "x".repeat(255)])
        expect(await remove(confirm)).toMatchObject({ status: 409, body: { code: "domain_in_use" } });
      expect((await remove("x".repeat(256))).status).toBe(400);
      expect((await list(ann)).domains).toMatchObject([{ aliasCount: 1, state: "proven" }]);
      expect((await remove(` ${domain.replace("xn--uolas-2wa16f", "Ąžuolas")}. `)).status).toBe(200);
      expect((await list(ann)).domains).toEqual([]);
      expect(await server.store.aliases.find(ann.userId as string, alias.id)).toBeNull();
      const again = await proveDomain(dns, ann, domain);
      expect(again.aliasCount).toBe(0);
    });

    it("lets another account prove the domain", async () => {
      const [ann, ben] = [await aPerson(), await aPerson()];
      const { id, domain } = await proveDomain(dns, ann, aName());
      await remove(ann, id);
      await proveDomain(dns, ben, domain);
      expect(server.store.provenDomains.find(domain)).toMatchObject({ userId: ben.userId });
    });
  });

  it("another account's domain, and an id of nothing, is not found", async () => {
    const [ann, eve] = [await aPerson(), await aPerson()];
    const { id } = await proveDomain(dns, ann, aName());
    for (const other of [id, id.toUpperCase(), randomUUID(), "no-id", "1", "../x", "%00", "x".repeat(3000)]) {
      expect(await check(eve, other)).toMatchObject({ status: 404, body: { message: "Domain not found" } });
      expect(await remove(eve, other)).toMatchObject({ status: 404, body: { message: "Domain not found" } });
    }
    expect((await list(eve)).domains).toEqual([]);
    expect((await list(ann)).domains).toHaveLength(1);
  });

  it("none can be added or proven when the operator has switched them off, and proven ones stay", async () => {
    const ann = await aPerson();
    const proven = await proveDomain(dns, ann, aName());
    const fresh = await addDomain(ann, aName());
    const off = await startTestServer({ store: server.store, domainDns: dns, config: { userDomains: 0 } });
    const there = new Visitor(off);
    there.cookies = ann.cookies;
    there.userId = ann.userId;
    expect((await list(there)).max).toBe(0);
    const refused = { status: 409, body: { code: "not_possible", message: accountDomainMessages.off } };
    expect(await add(there, aName())).toMatchObject(refused);
    expect(await add(there, "no domain")).toMatchObject(refused);
    dns.publish(fresh);
    expect(await check(there, fresh.id)).toMatchObject(refused);
    expect((await check(there, proven.id)).body).toMatchObject({ state: "proven" });
    await there.createAlias({ domain: proven.domain });
    expect((await remove(there, fresh.id)).status).toBe(200);
    await off.close();
  });

  describe("aliases", () => {
    const create = (person: Visitor, domain: string, alias = `a${randomUUID().slice(0, 8)}`) =>
      person.call("createAlias", { body: { alias, domain, forwardTo: "ann@example.org" } });

    it("are made on the account's own proven domains, not before the proof, and by nobody else", async () => {
      const [ann, eve] = [await aPerson(), await aPerson()];
      const added = await addDomain(ann, aName());
      expect((await create(ann, added.domain)).body.errors).toHaveProperty("domain");
      dns.publish(added);
      await check(ann, added.id);
      expect((await create(ann, added.domain)).body).toMatchObject({ domain: added.domain });
      expect(await create(eve, added.domain)).toMatchObject({ status: 400, body: { code: "invalid" } });
      const { body } = await eve.call("generateAlias", { body: { domain: added.domain } });
      expect(body.errors).toHaveProperty("domain");
      expect((await eve.call("changeAccountDefaults", { body: { domain: added.domain } })).status).toBe(400);
      expect((await new Visitor(server).call("listDomains")).body.domains).not.toContain(added.domain);
    });

    it("are generated on an own domain, which may be the account's default until it is removed", async () => {
      const ann = await aPerson();
      const { id, domain } = await proveDomain(dns, ann, aName());
      expect((await ann.call("changeAccountDefaults", { body: { domain } })).body).toMatchObject({ domain });
      const { body: made } = await ann.call("generateAlias", { body: {} });
      expect(made).toMatchObject({ domain });
      expect((await ann.call("generateName", { body: {} })).body).toMatchObject({ domain });
      await ann.call("deleteAlias", { params: { aliasId: made.id } });
      await remove(ann, id);
      expect((await ann.call("getAccountDefaults")).body).toMatchObject({ domain: "kauke.test" });
    });

    it("may have reserved names there, but those of every mail domain and of the server's own addresses", async () => {
      const ann = await aPerson();
      const { domain } = await proveDomain(dns, ann, aName());
      for (const name of ["admin", "info", "paypal"]) expect((await create(ann, domain, name)).status).toBe(201);
      for (const name of ["postmaster", "Abuse", "srs0-x", "bounce-7", "r-mfrgg-zdfmz-twq2l-knnwg"])
        expect((await create(ann, domain, name)).body.code).toBe("alias_reserved");
      expect((await create(ann, "kauke.test", "admin")).body.code).toBe("alias_reserved");
      const alias = await ann.createAlias({ domain });
      const rename = (to: string) => ann.call("updateAlias", { params: { aliasId: alias.id }, body: { alias: to } });
      expect((await rename("postmaster")).body.code).toBe("alias_reserved");
      expect((await rename("support")).body).toMatchObject({ alias: "support", domain });
    });

    it("forward to no mailbox on a domain that the server takes mail for, whoever has proven it", async () => {
      const [ann, ben] = [await aPerson(), await aPerson()];
      const { domain } = await proveDomain(dns, ann, aName());
      for (const person of [ann, ben]) {
        for (const forwardTo of [`me@${domain}`, `Me@${domain.toUpperCase()}`]) {
          const whole = { alias: `a${randomUUID().slice(0, 8)}`, domain: "kauke.test", forwardTo };
          const { body } = await person.call("createAlias", { body: whole });
          expect(body.errors).toEqual({ forwardTo: [aliasMessages.forwardToOwnDomain] });
        }
        const { id } = await person.createAlias();
        const forwardTo = `me@${domain}`;
        expect((await person.call("updateAlias", { params: { aliasId: id }, body: { forwardTo } })).status).toBe(400);
        const change = { aliasIds: [id], change: { forwardTo } };
        expect((await person.call("changeAliases", { body: change })).status).toBe(400);
        expect((await person.call("addMailbox", { body: { address: forwardTo } })).status).toBe(400);
      }
    });
  });
});
