/** A whole server that gets its certificates from Debian's pebble, over its own ports. */
import { request } from "node:https";
import { connect, type PeerCertificate } from "node:tls";
import { probeMailPort } from "@kauke/server/cli/doctor/port-checks";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { freePort } from "@kauke/testkit/free-port";
import { hasPebble, type Pebble, startPebble } from "@kauke/testkit/programs/pebble";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const here = { a: ["127.0.0.1"] };
// Nobody has published autodiscover.one.example.
const names = ["mail", "smtp", "mta-sts", "autoconfig"].map((name) => `${name}.one.example`);
const hosts = ["one.example", ...names];

const resolver = createFakeDns(Object.fromEntries(hosts.map((host) => [host, here])));
const env = (directoryUrl: string, httpPort: number) => ({
  KAUKE_TLS: "acme",
  KAUKE_ACME_DIRECTORY: directoryUrl,
  KAUKE_HTTPS: "on",
  KAUKE_HTTPS_PORT: "0",
  KAUKE_HTTP_PORT: String(httpPort),
  KAUKE_PUBLIC_URL: "https://one.example",
  KAUKE_DOMAINS: "one.example",
});

async function startPebbleAt(...ports: [number, number]) {
  const started = await startPebble(...ports);
  return { ...started, [Symbol.asyncDispose]: () => started.close() };
}

describe.skipIf(!hasPebble)("a server with KAUKE_TLS=acme", () => {
  let pebble: Pebble;
  let system: TestSystem;
  beforeAll(async () => {
    const httpPort = await freePort();
    pebble = await startPebble(httpPort);
    system = await startSystem({
      env: env(pebble.directoryUrl, httpPort),
      overrides: { issuerCa: pebble.ca, resolver },
    });
  }, 60_000);
  afterAll(async () => {
    await system.close();
    await pebble.close();
  });

  test("every listener soon has a certificate for each of its names that strangers can verify, and MTA-STS is enforced", async () => {
    expect(await policy(false)).toContain("mode: testing");
    const issuer = await pebble.root();
    await expect.poll(() => verified("one.example", issuer), { timeout: 60_000, interval: 500 }).toBe(true);
    await expect.poll(() => verified("mta-sts.one.example", issuer), { timeout: 60_000, interval: 500 }).toBe(true);
    expect(await verified("other.example", issuer)).toBe(false);
    expect((await namesAt("mta-sts.one.example")).subjectaltname).toBe("DNS:mta-sts.one.example");
    expect((await namesAt("one.example")).subjectaltname).toContain("DNS:smtp.one.example");
    expect(await policy(true, issuer)).toContain("mode: enforce");

    const mx = { host: "127.0.0.1", port: system.mxPort, serverName: "mail.one.example", isTlsAtOnce: false };
    const found = await probeMailPort(mx);
    expect(found.kind === "secured" && found.certificate.checkHost("mail.one.example")).toBe("mail.one.example");

    await expect.poll(() => verified("autoconfig.one.example", issuer), { timeout: 60_000, interval: 500 }).toBe(true);
    expect((await namesAt("autoconfig.one.example")).subjectaltname).toBe("DNS:autoconfig.one.example");
    expect(await verified("smtp.one.example", issuer, system.pop3sPort)).toBe(true);
    const isOrdered = { leftOut: [], failure: null };
    const states = async () => {
      const facts = await system.server.control.facts({});
      return facts.certificates?.map(({ leftOut, failure }) => ({ leftOut, failure }));
    };
    const missing = { leftOut: ["autodiscover.one.example"], failure: "no_address" };
    await expect.poll(states, { timeout: 60_000 }).toEqual([isOrdered, isOrdered, isOrdered, missing]);
  }, 120_000);

  test("a name whose port 80 leads elsewhere is proven at port 443, and served once the order is over", async () => {
    const httpsPort = await freePort();
    await using other = await startPebbleAt(await freePort(), httpsPort);
    const second = await startSystem({
      env: { ...env(other.directoryUrl, await freePort()), KAUKE_HTTPS_PORT: String(httpsPort) },
      overrides: { issuerCa: other.ca, resolver },
    });
    try {
      const leftOut = async () => (await second.server.control.facts({})).certificates?.map((one) => one.leftOut);
      const issued = async () => (await second.server.control.facts({})).certificates?.every((one) => one.validUntil);
      await second.server.control["certificates-order"]({});
      expect(await issued()).toBe(true);
      expect(await verified("one.example", await other.root(), httpsPort)).toBe(true);
      expect(await leftOut()).toEqual([[], [], [], []]);
    } finally {
      await second.close();
    }
  }, 150_000);

  test("a challenge of nobody is not found", async () => {
    const response = await fetch(`${system.url}/.well-known/acme-challenge/${"a".repeat(43)}`);
    expect(response.status).toBe(404);
  });

  /** Whether a client that trusts the issuer's root alone accepts us under a name. */
  function verified(servername: string, ca: string, port = system.httpsPort): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", servername, ca }, () => {
        resolve(true);
        socket.destroy();
      });
      socket.on("error", () => resolve(false));
    });
  }

  function namesAt(servername: string): Promise<PeerCertificate> {
    return new Promise((resolve, reject) => {
      const at = { port: system.httpsPort, host: "127.0.0.1", servername, rejectUnauthorized: false };
      const socket = connect(at, () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      });
      socket.on("error", reject);
    });
  }

  function policy(isVerified: boolean, ca?: string): Promise<string> {
    const servername = "mta-sts.one.example";
    const at = { host: "127.0.0.1", port: system.httpsPort, servername, path: "/.well-known/mta-sts.txt" };
    return new Promise((resolve, reject) => {
      const options = { ...at, agent: false, headers: { host: servername }, rejectUnauthorized: isVerified, ca };
      const call = request(options, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => void (text += chunk.toString()));
        response.on("end", () => resolve(text));
      });
      call.on("error", reject).end();
    });
  }
});
