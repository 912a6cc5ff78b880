/** Against Debian's pebble, over real connections; what pebble lacks is in `issuer-faults.test.ts`. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { logSpy } from "@kauke/testkit/log-spy";
import { hasPebble, type Pebble, startPebble } from "@kauke/testkit/programs/pebble";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CertificateRecords, WantedCertificate } from "../../core/certificate.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { AcmeClient } from "./acme-client.ts";
import {
  type CertificateIssuer,
  certificateIssuer,
  certificateStatus,
  type IssuerOptions,
  storedPairs,
} from "./certificate-issuer.ts";

describe.skipIf(!hasPebble)("certificates from an issuer", () => {
  let pebble: Pebble;
  let web: Server;
  let shown: CertificateIssuer | null = null;
  let store: Store;
  const open: CertificateIssuer[] = [];

  beforeAll(async () => {
    // Where the names lead: the only thing that a stranger sees of the server.
    web = createServer((request, response) => {
      const token = /^\/\.well-known\/acme-challenge\/([\w-]+)$/.exec(request.url ?? "")?.[1] ?? "";
      void (shown?.challenge(token) ?? Promise.resolve(null)).then((text) =>
        response.writeHead(text === null ? 404 : 200).end(text ?? ""),
      );
    });
    await new Promise<void>((done) => web.listen(0, "127.0.0.1", done));
    pebble = await startPebble((web.address() as AddressInfo).port);
  }, 60_000);
  afterAll(async () => {
    await pebble.close();
    web.closeAllConnections();
    web.close();
  });
  afterEach(async () => {
    for (const issuer of open.splice(0)) await issuer.close();
    await store.close();
    await pebble.start();
    await pebble.lead("one.example", "127.0.0.1");
  });

  const site: WantedCertificate = { label: "site", hosts: ["mail.one.example", "one.example"] };
  let time = new Date();
  const log = logSpy();

  async function freshStore(): Promise<CertificateRecords> {
    time = new Date();
    store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null });
    return store.certificateRecords;
  }

  function issuerOn(records: CertificateRecords, more: Partial<IssuerOptions> = {}): CertificateIssuer {
    const issuer = certificateIssuer({
      directoryUrl: pebble.directoryUrl,
      contact: null,
      wanted: [site],
      records,
      hasAddress: async () => true,
      clock: { now: () => time },
      logger: log,
      ca: pebble.ca,
      isAlone: true,
      hasHttps: false,
      checkEveryMs: 50,
      ...more,
    });
    open.push(issuer);
    shown = issuer;
    return issuer;
  }

  const stored = () => storedPairs(store.certificateRecords);
  const issued = async (count = 1) => {
    await expect.poll(async () => (await stored()).length, { timeout: 30_000 }).toBe(count);
    return await stored();
  };

  const standing = () =>
    certificateStatus({ records: store.certificateRecords, directoryUrl: pebble.directoryUrl }, [site]);
  const namesOf = (pair: { cert: string } | undefined) => new X509Certificate(pair?.cert ?? "").subjectAltName;
  const allNames = "DNS:mail.one.example, DNS:one.example";

  it("one order brings a certificate for all names, which the issuer's root vouches for", async () => {
    const before = pebble.orders();
    const issuer = issuerOn(await freshStore());
    issuer.start();
    const [pair] = await issued();
    const [certificate, intermediate] = chainOf(pair?.cert ?? "");
    expect(site.hosts.map((host) => certificate?.checkHost(host))).toEqual(site.hosts);
    expect(certificate?.checkPrivateKey(createPrivateKey(pair?.key ?? ""))).toBe(true);
    expect(intermediate?.checkIssued(new X509Certificate(await pebble.root()))).toBe(true);
    expect(await standing()).toMatchObject([{ leftOut: [], failure: null }]);
    expect(pebble.orders() - before).toBe(1);
    expect(JSON.stringify(log.events)).not.toContain("PRIVATE");
  });

  it("a name that leads elsewhere is left out and named, and gets its certificate once it leads here", async () => {
    await pebble.lead("one.example", "127.0.0.9");
    const records = await freshStore();
    const issuer = issuerOn(records);
    issuer.start();
    expect(namesOf((await issued())[0])).toBe("DNS:mail.one.example");
    await expect.poll(async () => (await standing())[0]?.leftOut).toEqual(["one.example"]);
    const before = pebble.orders();
    await issuer.close();

    // A day later it is tried again, and no second certificate with the same names is ordered.
    advance(DAY_MS);
    const still = issuerOn(records);
    still.start();
    await expect.poll(async () => Date.parse((await standing())[0]?.nextOrderAt ?? "")).toBeGreaterThan(+time);
    expect(namesOf((await stored())[0])).toBe("DNS:mail.one.example");
    expect(pebble.orders() - before).toBe(1);

    await pebble.lead("one.example", "127.0.0.1");
    advance(DAY_MS);
    await expect.poll(async () => namesOf((await stored())[0]), { timeout: 20_000 }).toBe(allNames);
    expect((await standing())[0]?.leftOut).toEqual([]);
  });

  it("a name without an address is not ordered at all", async () => {
    const before = pebble.orders();
    const issuer = issuerOn(await freshStore(), { hasAddress: async (host) => host !== "mail.one.example" });
    issuer.start();
    expect(namesOf((await issued())[0])).toBe("DNS:one.example");
    await expect.poll(async () => (await standing())[0]?.leftOut).toEqual(["mail.one.example"]);
    expect(pebble.orders() - before).toBe(1);
  });

  it("a name that leads elsewhere at renewal costs no name: the present certificate stays while it has time left", async () => {
    const records = await freshStore();
    const issuer = issuerOn(records);
    issuer.start();
    const [first] = await issued();
    await pebble.lead("one.example", "127.0.0.9");
    toRenewal(first);
    await expect.poll(async () => (await standing())[0]?.failure, { timeout: 20_000 }).toBe("no_address");
    expect((await stored())[0]?.cert).toBe(first?.cert);
    await pebble.lead("one.example", "127.0.0.1");
    advance(HOUR_MS);
    await expect.poll(async () => (await stored())[0]?.cert, { timeout: 20_000 }).not.toBe(first?.cert);
    expect(namesOf((await stored())[0])).toBe(allNames);
  });

  it("an issuer that is down at renewal is asked again later, and a new one that forgot the account gets a new one", async () => {
    const issuer = issuerOn(await freshStore());
    issuer.start();
    const [first] = await issued();
    await pebble.stop();
    toRenewal(first);
    await expect.poll(async () => (await standing())[0]?.failure, { timeout: 20_000 }).toBe("unreachable");
    expect((await stored())[0]?.cert).toBe(first?.cert);
    await pebble.start();
    advance(HOUR_MS);
    await expect.poll(async () => (await standing())[0]?.failure, { timeout: 20_000 }).toBe("account_gone");
    advance(DAY_MS);
    await expect.poll(async () => (await stored())[0]?.cert, { timeout: 20_000 }).not.toBe(first?.cert);
    expect(await standing()).toMatchObject([{ failure: null, leftOut: [] }]);
  });

  it("a deactivated account is replaced by a new one", async () => {
    const records = await freshStore();
    const issuer = issuerOn(records);
    issuer.start();
    const [first] = await issued();
    const account = (await records.read("account", pebble.directoryUrl)) as { key: string; url: string };
    const { directoryUrl, ca } = pebble;
    const signal = AbortSignal.timeout(10_000);
    const client = new AcmeClient({ directoryUrl, ca, signal, accountKey: account.key, accountUrl: account.url });
    await client.post(account.url, { status: "deactivated" });
    toRenewal(first);
    await expect.poll(async () => (await standing())[0]?.failure, { timeout: 20_000 }).toBe("account_gone");
    advance(DAY_MS);
    await expect.poll(async () => (await stored())[0]?.cert, { timeout: 20_000 }).not.toBe(first?.cert);
  });

  it.each([-1, 1])("a clock that is wrong by %i day gets its certificate all the same", async (days) => {
    const records = await freshStore();
    advance(days * DAY_MS);
    const issuer = issuerOn(records);
    issuer.start();
    await issued();
    advance(HOUR_MS);
    expect(Date.parse((await standing())[0]?.nextOrderAt ?? "")).toBeGreaterThan(+time);
  });

  it("of two processes on one store only one orders", async () => {
    const records = await freshStore();
    const before = pebble.orders();
    const [one, other] = [issuerOn(records, { isAlone: false }), issuerOn(records, { isAlone: false })];
    one.start();
    other.start();
    await issued();
    advance(HOUR_MS);
    await new Promise((done) => setTimeout(done, 300));
    expect(pebble.orders() - before).toBe(1);
  });

  it("a process that is killed at any step is followed by one that finishes its order", async () => {
    let isWhole = false;
    for (let steps = 1; !isWhole; steps += 1) {
      const records = await freshStore();
      const before = pebble.orders();
      const killed = issuerOn(diesAfter(records, steps));
      killed.start();
      await expect
        .poll(async () => died || (await records.list("certificate")).length === 1, { timeout: 20_000 })
        .toBe(true);
      isWhole = !died;
      // What hangs never ends, so the dead process isn't closed; its promises are dropped.
      if (died) open.splice(open.indexOf(killed), 1);
      const next = issuerOn(records);
      next.start();
      await issued();
      expect(await records.list("order")).toEqual([]);
      expect(pebble.orders() - before, `killed after ${steps} writes`).toBe(died && steps === ORDER_WRITE ? 2 : 1);
      await next.close();
      await store.close();
    }
    store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null });
  }, 120_000);

  /** The write of the order: a process that dies in it can't know the order that it made. */
  const ORDER_WRITE = 3;
  let died = false;

  /** Records of a process that dies in its n-th write: it is not done, and nothing happens after it. */
  function diesAfter(records: CertificateRecords, steps: number): CertificateRecords {
    let left = steps;
    died = false;
    return {
      ...records,
      write: (record) => {
        left -= 1;
        if (left > 0) return records.write(record);
        died = true;
        return new Promise(() => {});
      },
    };
  }

  function advance(ms: number): void {
    time = new Date(time.getTime() + ms);
  }

  function toRenewal(pair: { cert: string } | undefined): void {
    const { validFromDate, validToDate } = new X509Certificate(pair?.cert ?? "");
    time = new Date(validFromDate.getTime() + 0.8 * (validToDate.getTime() - validFromDate.getTime()));
  }
});

function chainOf(pem: string): X509Certificate[] {
  return pem
    .split(/(?=-----BEGIN)/)
    .filter((one) => one.includes("BEGIN"))
    .map((one) => new X509Certificate(one));
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
