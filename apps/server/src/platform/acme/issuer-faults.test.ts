/** What an issuer may say that pebble never does. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeAcme, problem } from "@kauke/testkit/fakes/fake-acme";
import { logSpy } from "@kauke/testkit/log-spy";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openStore, type Store } from "../../store/open-store.ts";
import { loadCertificate } from "../certificate.ts";
import { makeSelfSigned } from "../self-signed.ts";
import { type CertificateIssuer, certificateIssuer, certificateStatus } from "./certificate-issuer.ts";
import { certificateId } from "./renewal-info.ts";
import { serveIssued } from "./served-certificates.ts";
import { certificateStandingOf, writeCertificate } from "./stored-certificate.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const site = { label: "site", hosts: ["mail.one.example"] };

let store: Store;
let fake: FakeAcme;
let issuer: CertificateIssuer;
let time: Date;
let log: ReturnType<typeof logSpy>;

beforeEach(async () => {
  time = new Date();
  log = logSpy();
  fake = await FakeAcme.start();
  store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null });
  issuer = certificateIssuer({
    directoryUrl: fake.directoryUrl,
    contact: "operator@one.example",
    records: store.certificateRecords,
    hasAddress: async () => true,
    clock: { now: () => time },
    logger: log,
    ca: fake.ca,
    wanted: [site],
    isAlone: true,
    hasHttps: false,
    checkEveryMs: 20,
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await issuer.close();
  await store.close();
  await fake[Symbol.asyncDispose]();
});

const standing = async () =>
  (await certificateStatus({ records: store.certificateRecords, directoryUrl: fake.directoryUrl }, [site]))[0];
const failure = async () => (await standing())?.failure;
const orders = () => fake.asked.filter((path) => path === "/order").length;

it("a rate limit is waited for as long as the issuer says, and its words are passed on to nobody", async () => {
  fake.order = problem(429, "rateLimited", { "retry-after": String((3 * DAY_MS) / 1000) });
  issuer.start();
  await expect.poll(failure).toBe("rate_limited");
  const next = Date.parse((await standing())?.nextOrderAt ?? "");
  expect(next - time.getTime()).toBeGreaterThanOrEqual(3 * DAY_MS);
  await new Promise((done) => setTimeout(done, 200));
  expect(orders()).toBe(1);
  expect(JSON.stringify([log.events, await standing()])).not.toContain("Nothing of this");
});

it("failures in a row make the pauses longer, up to a day", async () => {
  fake.order = problem(503, "serverInternal");
  issuer.start();
  const pauses: number[] = [];
  for (let count = 1; count <= 7; count += 1) {
    await expect
      .poll(
        async () =>
          (await certificateStandingOf({ records: store.certificateRecords, directoryUrl: fake.directoryUrl }, "site"))
            .state.failures,
      )
      .toBe(count);
    const next = Date.parse((await standing())?.nextOrderAt ?? "");
    pauses.push((next - time.getTime()) / 60_000);
    time = new Date(next);
  }
  expect(pauses.map(Math.round)).toEqual([5, 15, 60, 240, 720, 1440, 1440]);
  expect(await failure()).toBe("unreachable");
});

it("an issuer that lists http addresses is not followed", async () => {
  fake.directory = { newOrder: "http://127.0.0.1:1/order" };
  issuer.start();
  await expect.poll(failure).toBe("response_invalid");
});

it("an issuer that says when to renew is believed, and asked again after as long as it says", async () => {
  const pair = makeSelfSigned({
    commonName: "x",
    hosts: site.hosts,
    notBefore: new Date(time.getTime() - DAY_MS),
    notAfter: new Date(time.getTime() + 89 * DAY_MS),
    authorityKeyId: Buffer.alloc(20, 7),
  });
  fake.renewal = { start: new Date(time.getTime() + DAY_MS), end: new Date(time.getTime() + 2 * DAY_MS) };
  const renewAt = new Date(time.getTime() + 60 * DAY_MS).toISOString();
  await writeCertificate(store.certificateRecords, "site", {
    ...pair,
    directoryUrl: fake.directoryUrl,
    renewAt,
    askAgainAt: time.toISOString(),
  });
  issuer.start();
  await expect.poll(() => fake.asked.includes(`/renewal/${certificateId(pair.cert)}`)).toBe(true);
  await expect.poll(async () => Date.parse((await standing())?.nextOrderAt ?? "")).toBeLessThan(+time + 3 * DAY_MS);
  const { stored } = await certificateStandingOf(
    { records: store.certificateRecords, directoryUrl: fake.directoryUrl },
    "site",
  );
  expect(Date.parse(stored?.renewAt ?? "")).toBeGreaterThanOrEqual(+fake.renewal.start);
  expect(Date.parse(stored?.renewAt ?? "")).toBeLessThanOrEqual(+fake.renewal.end);
  expect(Date.parse(stored?.askAgainAt ?? "") - +time).toBe(2 * HOUR_MS);
  expect(orders()).toBe(0);

  // Within the window it orders.
  time = new Date(fake.renewal.end);
  await expect.poll(orders).toBe(1);
});

function aCertificate(hosts: readonly string[] = site.hosts) {
  const notBefore = new Date(time.getTime() - DAY_MS);
  const pair = makeSelfSigned({ commonName: "x", hosts, notBefore, notAfter: new Date(time.getTime() + 89 * DAY_MS) });
  const renewAt = new Date(time.getTime() + 60 * DAY_MS).toISOString();
  return { ...pair, directoryUrl: fake.directoryUrl, renewAt, askAgainAt: time.toISOString() };
}

const accounts = () => fake.asked.filter((path) => path === "/account").length;
const pause = () => new Promise((done) => setTimeout(done, 300));

it("an account that can't be made is not asked for at every look, certificate or not", async () => {
  await writeCertificate(store.certificateRecords, "site", aCertificate());
  fake.account = problem(429, "rateLimited", { "retry-after": String((3 * DAY_MS) / 1000) });
  issuer.start();
  await expect.poll(failure).toBe("rate_limited");
  await pause();
  expect(accounts()).toBe(1);
});

it("a certificate of another issuer is replaced", async () => {
  const directoryUrl = "https://staging.example/directory";
  await writeCertificate(store.certificateRecords, "site", { ...aCertificate(), directoryUrl });
  issuer.start();
  await expect.poll(orders).toBe(1);
});

it("an order that the operator asks for follows one in flight, and forgets its failure until it has one of its own", async () => {
  fake.order = problem(403, "rejectedIdentifier");
  issuer.start();
  await expect.poll(failure).toBe("refused");
  fake.order = { status: 200, body: null, delayMs: 300 };
  const asked = issuer.orderNow();
  await expect.poll(failure).toBe(null);
  await asked;
  expect(await failure()).toBe("response_invalid");
  expect(orders()).toBe(2);
});

it("a rate limit outlives the operator's request, and so many requests in an hour are enough", async () => {
  fake.order = problem(429, "rateLimited", { "retry-after": String((7 * DAY_MS) / 1000) });
  issuer.start();
  await expect.poll(failure).toBe("rate_limited");
  await issuer.orderNow();
  expect(orders()).toBe(1);
});

it("more than four requests of the operator in an hour order nothing", async () => {
  fake.order = problem(403, "rejectedIdentifier");
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const ask = async () => [await issuer.orderNow(), await issuer.orderNow(), await issuer.orderNow()];
  expect([await ask(), await ask()]).toEqual([
    [true, true, true],
    [true, false, false],
  ]);
  expect(orders()).toBe(4);
  // What was refused does not count.
  now += 59 * 60_000;
  expect([await ask(), await ask()].flat()).not.toContain(true);
  now += 60_000;
  expect(await issuer.orderNow()).toBe(true);
  expect(orders()).toBe(5);
});

it("a chain that can't be served is left out, and the rest serves", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-served-"));
  const config = { tls: null, https: null, publicUrl: new URL("https://one.example"), dataDir };
  const own = loadCertificate(
    { ...config, mailHost: "mail.one.example", domains: ["one.example"] },
    { clock: { now: () => time }, logger: log },
  );
  const good = aCertificate(["mail.one.example"]);
  const broken = aCertificate(["mta-sts.one.example"]);
  const garbage = `${broken.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
  const stored = async () => [{ ...broken, cert: garbage }, good];
  const served = await serveIssued(own, { stored, mailHost: "mail.one.example", logger: log });
  expect(served.current().cert).toBe(good.cert);
  expect(served.isIssued("mta-sts.one.example")).toBe(false);
  served.close();
  await rm(dataDir, { recursive: true });
});

it("the id of a certificate is that of the example in RFC 9773", () => {
  expect(certificateId(example)).toBe("aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE");
});

/** RFC 9773, appendix A. */
const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;
