/**
 * The takeovers that the record of own domains lists, as far as one request decides them. A domain that has another
 * owner by now is in store/rows/domains/takeover.test.ts.
 */
import { randomUUID } from "node:crypto";
import { accountDomainMessages } from "@kauke/contract";
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
const aLabel = () => `t${randomUUID().slice(0, 8)}`;
const check = (person: Visitor, domainId: string) => person.call("checkAccountDomain", { params: { domainId } });
const ownerOf = (domain: string) => server.store.provenDomains.find(domain)?.userId;
const { invalid, suffix, ofServer } = accountDomainMessages;

describe.skipIf(isProviderRun)("takeover of a domain", () => {
  it.each([
    ["a domain of the server", "kauke.test", ofServer],
    ["its child", "shop.kauke.test", ofServer],
    ["its child in capitals with a final dot", "SHOP.Kauke.Test.", ofServer],
    ["a public suffix", "co.uk", suffix],
    ["a public suffix of a company", "github.io", suffix],
    ["an IP address", "192.0.2.7", invalid],
    ["an address in brackets", "[2001:db8::1]", invalid],
    ["a URL", "https://own.example/", invalid],
    ["a wildcard", "*.own.example", invalid],
    ["two final dots", "own.example..", invalid],
    ["a label that is no Punycode", "xn--a.example", invalid],
  ])("%s is refused", async (_, domain, message) => {
    const { status, body } = await (await aPerson()).call("addAccountDomain", { body: { domain } });
    expect([status, body]).toMatchObject([400, { code: "invalid", message }]);
  });

  it.each([
    ["case", (label: string) => `${label.toUpperCase()}.EXAMPLE`],
    ["a final dot", (label: string) => `${label}.example.`],
    ["an ideographic dot", (label: string) => `${label}\u3002example`],
    ["full-width letters", (label: string) => `${label}.\uff45xample`],
    ["a soft hyphen", (label: string) => `${label}.exam\u00adple`],
  ])("%s makes no other name", async (_, spelled) => {
    const [ann, eve, label] = [await aPerson(), await aPerson(), aLabel()];
    await proveDomain(dns, ann, `${label}.example`);
    const { domain, id, records } = await addDomain(eve, spelled(label));
    expect(domain).toBe(`${label}.example`);
    expect((await check(eve, id)).body).toMatchObject({ state: "new" });
    dns.publish({ records: records.slice(0, 1) });
    expect(await check(eve, id)).toMatchObject({ status: 409, body: { code: "domain_taken" } });
    expect(ownerOf(domain)).toBe(ann.userId);
  });

  it("a Cyrillic letter makes another name, which the page shows as A-labels, and touches no other", async () => {
    const [ann, eve, label] = [await aPerson(), await aPerson(), aLabel()];
    await proveDomain(dns, ann, `${label}a.example`);
    const { domain } = await proveDomain(dns, eve, `${label}\u0430.example`);
    expect(domain).toMatch(/^xn--/);
    expect([ownerOf(`${label}a.example`), ownerOf(domain)]).toEqual([ann.userId, eve.userId]);
  });

  it.each([
    ["a child of a proven domain", (label: string) => [`${label}.example`, `shop.${label}.example`]],
    ["the parent of a proven domain", (label: string) => [`shop.${label}.example`, `${label}.example`]],
  ])("%s needs records of its own", async (_, names) => {
    const [ann, eve] = [await aPerson(), await aPerson()];
    const [held = "", wanted = ""] = names(aLabel());
    await proveDomain(dns, ann, held);
    const { id, records } = await addDomain(eve, wanted);
    dns.txt.set(`_kauke.${held}`, [...(dns.txt.get(`_kauke.${held}`) ?? []), records[0]?.value ?? ""]);
    dns.publish({ records: records.slice(1, 2) });
    expect((await check(eve, id)).body).toMatchObject({ state: "new" });
    dns.publish({ records: records.slice(0, 1) });
    expect((await check(eve, id)).body).toMatchObject({ state: "proven" });
    expect([ownerOf(held), ownerOf(wanted)]).toEqual([ann.userId, eve.userId]);
  });

  it("a wildcard MX and TXT of another account's records prove nothing", async () => {
    const [ann, eve, label] = [await aPerson(), await aPerson(), aLabel()];
    const { records } = await addDomain(ann, `${label}.example`);
    const { id, domain } = await addDomain(eve, `shop.${label}.example`);
    dns.txt.set(
      `_kauke.${domain}`,
      records.filter(({ type }) => type === "TXT").map(({ value }) => value),
    );
    dns.mx.set(domain, [{ exchange: records[1]?.value ?? "", priority: 10 }]);
    expect((await check(eve, id)).body).toMatchObject({ state: "new" });
    expect(ownerOf(domain)).toBeUndefined();
  });

  it("an ownership record that is removed, or replaced by another account's, keeps the domain with its account", async () => {
    const [ann, eve, label] = [await aPerson(), await aPerson(), aLabel()];
    const { id, domain } = await proveDomain(dns, ann, `${label}.example`);
    const hers = await addDomain(eve, domain);
    dns.txt.set(`_kauke.${domain}`, [hers.records[0]?.value ?? ""]);
    expect((await check(ann, id)).body).toMatchObject({ state: "failing" });
    expect(await check(eve, hers.id)).toMatchObject({ status: 409, body: { code: "domain_taken" } });
    expect(ownerOf(domain)).toBe(ann.userId);
    const notices = await server.store.notices.listForUser(ann.userId as string);
    expect(notices.map(({ kind }) => kind).toSorted()).toEqual(["domain_claimed", "domain_failing"]);
  });
});
