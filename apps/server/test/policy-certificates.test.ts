/** Own domains' MTA-STS policies over the server's own ports, with certificates from Debian's pebble. */
import { connect } from "node:tls";
import type { AccountDomain } from "@kauke/server/core/domain/account-domain";
import { lookAt } from "@kauke/server/core/domain/check-own-domain";
import type { DnsAnswer, DomainDns } from "@kauke/server/core/domain/domain-dns";
import { parseAllowList } from "@kauke/server/mail/transport/address-guard";
import { fetchStsPolicy } from "@kauke/server/mail/transport/sts-policies";
import { aUser } from "@kauke/server/store/rows.testing";
import { Canaries } from "@kauke/testkit/canary/canary-scan";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { freePort } from "@kauke/testkit/free-port";
import { hasPebble, type Pebble, startPebble } from "@kauke/testkit/programs/pebble";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const targets = { mailHost: "mail.one.example", policyTarget: "one.example" };
/** Addresses by name; the own domains whose other records are right. */
const zone = new Map([["one.example", "127.0.0.1"]]);
const proven = new Set<string>();
const answer = <T>(record: T | undefined): DnsAnswer<T> =>
  record === undefined ? { kind: "no_name" } : { kind: "found", records: [record] };
const domainDns: DomainDns = {
  begin: () => ({
    txt: async (name) => answer(proven.has(name.replace("_kauke.", "")) ? "kauke-domain=t" : undefined),
    mx: async (name) => answer(proven.has(name) ? { exchange: targets.mailHost, priority: 10 } : undefined),
    addresses: async (name) => answer(zone.get(name)),
    mailHostPassesSpf: async () => null,
  }),
};

describe.skipIf(!hasPebble)("policies of own domains", () => {
  let pebble: Pebble;
  let system: TestSystem;
  let userId: string;
  let dataDir: string;
  const canaries = new Canaries();
  const [own, good, bad] = ["own", "good", "bad"].map((label) => `${canaries.word(`policy-${label}`)}.example`) as [
    string,
    string,
    string,
  ];
  beforeAll(async () => {
    const httpPort = await freePort();
    pebble = await startPebble(httpPort);
    dataDir = await makeDataDir();
    const here = { a: ["127.0.0.1"] };
    system = await startSystem({
      env: {
        KAUKE_DATA_DIR: dataDir,
        KAUKE_TLS: "acme",
        KAUKE_ACME_DIRECTORY: pebble.directoryUrl,
        KAUKE_HTTPS: "on",
        KAUKE_HTTPS_PORT: "0",
        KAUKE_HTTP_PORT: String(httpPort),
        KAUKE_PUBLIC_URL: "https://one.example",
        KAUKE_DOMAINS: "one.example",
      },
      overrides: {
        issuerCa: pebble.ca,
        resolver: createFakeDns({ "one.example": here, "mail.one.example": here }),
        domainChecks: { domainDns, domainPollMs: 50 },
      },
    });
    const user = aUser();
    await system.server.store.users.insert(user);
    userId = user.id;
  }, 60_000);
  afterAll(async () => {
    await system.close();
    await pebble.close();
    await removeDataDirs();
  });

  async function check(domain: AccountDomain) {
    const clock = { now: () => new Date() };
    const seen = await lookAt({ domainRules: targets, domainDns, clock }, domain);
    expect(await system.server.store.accountDomains.saveCheck(domain, seen)).toBe("saved");
  }

  async function provenDomain(name: string) {
    const added = await system.server.store.accountDomains.add(
      { userId, domain: name, token: "kauke-domain=t" },
      { now: new Date(), max: 9 },
    );
    if (typeof added === "string") throw new Error(added);
    proven.add(name);
    await check(added);
    return added;
  }

  const rowOf = (id: string) => system.server.store.policyCertificates.recordsOf(id);
  const stateOf = async (id: string) => (await rowOf(id).read("state", "")) as { failure: string; notBefore: string };
  const resolver = createFakeDns();
  const policyOf = async (domain: string) => {
    resolver.zone[`mta-sts.${domain}`] = { a: ["127.0.0.1"] };
    const rules = { resolver, allow: parseAllowList(["127.0.0.1"]), ca: await pebble.root(), port: system.httpsPort };
    return await fetchStsPolicy(domain, rules);
  };

  test("a policy is fetched over verified TLS once its host leads here, and is withdrawn with the domain", async () => {
    const domain = await provenDomain(own);
    expect(system.server.store.provenDomains.find(own)?.hasPolicyHost).toBe(false);
    zone.set(`mta-sts.${own}`, "127.0.0.1");
    await check(domain);
    await expect.poll(() => policyOf(own), { timeout: 90_000, interval: 500 }).toContain("mx: mail.one.example");
    await expect.poll(() => policyOf(own), { timeout: 90_000, interval: 500 }).toContain("mode: enforce");
    expect(await policyOf("other.example")).toBeNull();

    const policy = async () => (await system.server.store.accountDomains.find(userId, domain.id))?.policy;
    await expect.poll(policy).toBe("served");
    proven.delete(own);
    await check(domain);
    expect(await policyOf(own)).toContain("mode: none");
    expect(await system.server.store.accountDomains.delete(userId, domain.id)).toBe("deleted");
    expect(await policyOf(own)).toBeNull();
    expect(await rowOf(domain.id).read("certificate", "")).toBeNull();
  }, 200_000);

  test("a host that the issuer can't reach waits, and delays neither the server's certificate nor another domain's", async () => {
    zone.set(`mta-sts.${bad}`, "127.0.0.1");
    await pebble.lead(`mta-sts.${bad}`, "127.9.9.9");
    const refused = await provenDomain(bad);
    await expect
      .poll(async () => (await stateOf(refused.id))?.failure, { timeout: 90_000, interval: 500 })
      .toBe("refused");
    const waitMs = Date.parse((await stateOf(refused.id)).notBefore) - Date.now();
    expect(waitMs).toBeGreaterThan(4 * 60_000);

    zone.set(`mta-sts.${good}`, "127.0.0.1");
    const healthy = await provenDomain(good);
    await expect.poll(() => policyOf(good), { timeout: 90_000, interval: 500 }).toContain("STSv1");
    await check(refused);
    expect(Date.parse((await stateOf(refused.id)).notBefore) - Date.now()).toBeGreaterThan(4 * 60_000 - 95_000);
    const { certificates } = await system.server.control.facts({});
    expect(certificates?.[0]).toMatchObject({ failure: null, leftOut: ["smtp.one.example"] });
    const { key } = (await rowOf(healthy.id).read("certificate", "")) as { key: string };
    canaries.watch("key of a policy host", key.split("\n")[1] ?? "");
    const { findings, bytes } = await canaries.scan([dataDir]);
    expect(bytes).toBeGreaterThan(100_000);
    expect(findings).toEqual([]);
    expect(canaries.find(Buffer.from(JSON.stringify(system.log.events)), "log")).toEqual([]);
  }, 200_000);

  test("a name that nobody has proven gets the server's certificate and no policy", async () => {
    const subject = await new Promise<string>((resolve, reject) => {
      const at = { host: "127.0.0.1", port: system.httpsPort, servername: "mta-sts.nobody.example" };
      const socket = connect({ ...at, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().subjectaltname ?? "");
        socket.destroy();
      });
      socket.on("error", reject);
    });
    expect(subject).toContain("DNS:mail.one.example");
  });
});
