import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { expect, test } from "vitest";
import type { Logger } from "../runtime/ports.ts";
import { SettingsError } from "../settings/env.ts";
import { loadCertificate } from "./certificate.ts";
import { type CertificatePair, makeSelfSigned } from "./self-signed.ts";

const now = new Date("2026-11-21T10:00:00Z");
const in365Days = new Date("2027-11-21T10:00:00Z");
const pairFor = (...hosts: string[]) =>
  makeSelfSigned({ commonName: "Kauke test", hosts, notBefore: now, notAfter: in365Days });

function setUp(overrides: { tls?: { certFile: string; keyFile: string }; mailHost?: string } = {}) {
  const dataDir = join(mkdtempSync(join(tmpdir(), "kauke-cert-")), "data");
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const logger: Logger = { info: note, warn: note, error: note };
  const time = { now };
  const web = { https: null, publicUrl: new URL("http://localhost:3000") };
  const config = { tls: null, dataDir, mailHost: "mail.kauke.test", domains: ["kauke.test"], ...web, ...overrides };
  return { config, dataDir, events, time, deps: { logger, clock: { now: () => time.now }, checkEveryMs: 10 } };
}

/** Transfers a byte over TLS and returns whether the client, which trusts `ca` only, accepted the server. */
async function handshake(pair: CertificatePair, ca: string, servername: string): Promise<string> {
  const server = tls.createServer(pair, (socket) => socket.end("k"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<string>((done) => {
      const socket = tls.connect({ port, host: "127.0.0.1", ca, servername }, () => done("trusted"));
      socket.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? "error"));
      socket.on("data", () => socket.destroy());
    });
  } finally {
    server.close();
  }
}

test("the certificate has the requested names and dates and is signed by its own key", () => {
  const cert = new X509Certificate(pairFor("mail.kauke.test", "smtp.kauke.test").cert);
  expect(cert.subject).toBe("CN=Kauke test");
  expect(cert.issuer).toBe(cert.subject);
  expect(cert.subjectAltName).toBe("DNS:mail.kauke.test, DNS:smtp.kauke.test");
  expect(cert.validFromDate).toEqual(now);
  expect(cert.validToDate).toEqual(in365Days);
  expect(cert.ca).toBe(false);
  expect(cert.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(cert.verify(cert.publicKey)).toBe(true);
});

test("every certificate has its own serial number, and years from 2050 on are written with four digits", () => {
  const late = new Date("2051-01-02T03:04:05Z");
  const serials = Array.from({ length: 50 }, () => {
    const made = makeSelfSigned({ commonName: "x", hosts: ["a.test"], notBefore: now, notAfter: late });
    const cert = new X509Certificate(made.cert);
    expect(cert.validToDate).toEqual(late);
    return cert.serialNumber;
  });
  expect(new Set(serials).size).toBe(50);
  expect(serials.every((serial) => serial.length === 32)).toBe(true);
});

test("many long host names fit", () => {
  const hosts = Array.from({ length: 60 }, (_, index) => `${"h".repeat(60)}.${"d".repeat(60)}.n${index}.test`);
  const cert = new X509Certificate(pairFor(...hosts).cert);
  expect(cert.subjectAltName?.split(", ")).toHaveLength(60);
});

test("a client that trusts the certificate connects under its names only", async () => {
  const around = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) };
  const pairOf = (...hosts: string[]) => makeSelfSigned({ commonName: "Kauke test", hosts, ...around });
  const pair = pairOf("mail.kauke.test", "smtp.kauke.test");
  expect(await handshake(pair, pair.cert, "mail.kauke.test")).toBe("trusted");
  expect(await handshake(pair, pair.cert, "smtp.kauke.test")).toBe("trusted");
  expect(await handshake(pair, pair.cert, "other.test")).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
  expect(await handshake(pair, pairOf("mail.kauke.test").cert, "mail.kauke.test")).not.toBe("trusted");
});

test("the first start makes a certificate in one file readable by its owner only, the second start uses it", () => {
  const { config, dataDir, deps } = setUp();
  const first = loadCertificate(config, deps);
  const second = loadCertificate(config, deps);
  expect(statSync(join(dataDir, "self-signed.pem")).mode & 0o777).toBe(0o600);
  expect(second.current()).toEqual(first.current());
  expect(new X509Certificate(first.current().cert).checkHost("smtp.kauke.test")).toBe("smtp.kauke.test");
  first.close();
  second.close();
});

test("another mail host or a damaged file causes a new certificate", () => {
  const { config, dataDir, deps } = setUp();
  const first = loadCertificate(config, deps).current();
  const renamed = loadCertificate({ ...config, mailHost: "mx.kauke.test" }, deps).current();
  expect(renamed.cert).not.toBe(first.cert);
  writeFileSync(join(dataDir, "self-signed.pem"), "damaged");
  expect(loadCertificate(config, deps).current().cert).toContain("BEGIN CERTIFICATE");
});

test("a certificate with less than 30 days left is replaced at run time, and the listeners get the new one", async () => {
  const { config, dataDir, time, events, deps } = setUp();
  const source = loadCertificate(config, deps);
  const old = source.current().cert;
  const context = source.context();
  time.now = new Date(now.getTime() + 334 * 86_400_000);
  await new Promise((done) => setTimeout(done, 50));
  expect(source.current().cert).toBe(old);
  time.now = new Date(now.getTime() + 336 * 86_400_000);
  await expect.poll(() => source.current().cert, { timeout: 5000 }).not.toBe(old);
  expect(source.context()).not.toBe(context);
  expect(events).toContain("certificate_changed");
  expect(readFileSync(join(dataDir, "self-signed.pem"), "utf8")).toContain(source.current().cert);
  source.close();
});

function operatorFiles(pair: CertificatePair) {
  const folder = mkdtempSync(join(tmpdir(), "kauke-cert-"));
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  const write = ({ cert, key }: CertificatePair) => {
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
  };
  write(pair);
  return { files, write };
}

test("the operator's files are used, reloaded after a change, and the previous ones kept if the new ones are invalid", async () => {
  const [one, two] = [pairFor("one.test"), pairFor("two.test")];
  const { files, write } = operatorFiles(one);
  const { config, events, deps } = setUp({ tls: files });
  const source = loadCertificate(config, deps);
  expect(source.current()).toEqual(one);
  write({ cert: "half written", key: two.key });
  await expect.poll(() => events.includes("certificate_unusable"), { timeout: 5000 }).toBe(true);
  expect(source.current()).toEqual(one);
  write(two);
  await expect.poll(() => source.current().cert, { timeout: 5000 }).toBe(two.cert);
  source.close();
});

test("files that can't be used fail the start with the name of the setting", () => {
  const [one, two] = [pairFor("one.test"), pairFor("two.test")];
  const { files } = operatorFiles({ cert: one.cert, key: two.key });
  const load = (change: Partial<typeof files>) => {
    const { config, deps } = setUp({ tls: { ...files, ...change } });
    return () => loadCertificate(config, deps);
  };
  expect(load({})).toThrow(SettingsError);
  expect(load({})).toThrow(/KAUKE_TLS_KEY/);
  expect(load({ certFile: "/missing.pem" })).toThrow(/KAUKE_TLS_CERT/);
  expect(load({ certFile: files.keyFile })).toThrow(/KAUKE_TLS_CERT/);
  expect(load({ keyFile: files.certFile })).toThrow(/KAUKE_TLS_KEY/);
});
