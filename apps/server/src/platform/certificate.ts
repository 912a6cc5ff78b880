/** The operator's TLS files, reloaded on change, or a self-signed certificate, renewed 30 days before it expires. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { product } from "@kauke/contract";
import type { Clock, Logger } from "../runtime/ports.ts";
import type { Config } from "../settings/config.ts";
import { SettingsError } from "../settings/env.ts";
import { type CertificatePair, makeSelfSigned } from "./self-signed.ts";

export interface CertificateSource {
  current(): CertificatePair;
  /** @param name the client's SNI */
  context(name?: string): SecureContext;
  /** Whether others can verify the certificate of this name: it is not self-signed. */
  isIssued(name: string): boolean;
  close(): void;
}

export interface CertificateDeps {
  clock: Clock;
  logger: Logger;
  /** Shared by all processes of a group; without them, OpenSSL makes new session ticket keys for each certificate. */
  ticketKeys?: Buffer | undefined;
  checkEveryMs?: number;
}

type CertificateConfig = Pick<Config, "tls" | "dataDir" | "mailHost" | "domains" | "https" | "publicUrl">;

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
const RENEW_DAYS = 30;

/** @throws SettingsError naming KAUKE_TLS_CERT or KAUKE_TLS_KEY when the operator's files can't be used */
export function loadCertificate(config: CertificateConfig, deps: CertificateDeps): CertificateSource {
  const read = config.tls === null ? () => readOwn(config, deps.clock) : fileReader(config.tls);
  const contextOf = (pair: CertificatePair) => createSecureContext({ ...pair, ticketKeys: deps.ticketKeys });
  let pair = read();
  let context = contextOf(pair);
  const check = () => {
    const latest = readOrKeep(read, pair, deps.logger);
    if (latest.cert === pair.cert && latest.key === pair.key) return;
    pair = latest;
    context = contextOf(pair);
    deps.logger.info("certificate_changed");
  };
  const timer = setInterval(check, deps.checkEveryMs ?? 30_000).unref();
  return {
    current: () => pair,
    context: () => context,
    isIssued: () => config.tls !== null,
    close: () => clearInterval(timer),
  };
}

/** Returns the previous pair while files can't be read: somebody may be replacing them. */
function readOrKeep(read: () => CertificatePair, kept: CertificatePair, logger: Logger): CertificatePair {
  try {
    return read();
  } catch {
    logger.warn("certificate_unusable");
    return kept;
  }
}

/** Parses the files only if time, inode or size has changed. */
function fileReader(files: { certFile: string; keyFile: string }): () => CertificatePair {
  let seen = "";
  let pair: CertificatePair | null = null;
  return () => {
    const cert = readSetting("KAUKE_TLS_CERT", files.certFile);
    const key = readSetting("KAUKE_TLS_KEY", files.keyFile);
    const state = `${cert.state} ${key.state}`;
    if (pair !== null && state === seen) return pair;
    const read = { cert: cert.text, key: key.text };
    refuseUnusable(read);
    seen = state;
    pair = read;
    return pair;
  };
}

function readSetting(name: string, file: string): { text: string; state: string } {
  try {
    const { mtimeMs, ino, size } = statSync(file);
    return { text: readFileSync(file, "utf8"), state: `${mtimeMs} ${ino} ${size}` };
  } catch {
    throw new SettingsError([`${name} names a file that cannot be read.`]);
  }
}

function refuseUnusable({ cert, key }: CertificatePair): void {
  const parsed = orNull(() => new X509Certificate(cert));
  if (parsed === null) throw new SettingsError(["KAUKE_TLS_CERT names a file without a PEM certificate."]);
  const privateKey = orNull(() => createPrivateKey(key));
  if (privateKey === null) throw new SettingsError(["KAUKE_TLS_KEY names a file without an unencrypted PEM key."]);
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new SettingsError(["KAUKE_TLS_KEY does not belong to the certificate in KAUKE_TLS_CERT."]);
  }
}

function readOwn(config: CertificateConfig, clock: Clock): CertificatePair {
  const file = join(config.dataDir, "self-signed.pem");
  const { hostname } = config.publicUrl;
  const web = config.https === null || isIP(hostname.replace(/[[\]]/g, "")) !== 0 ? [] : [hostname];
  const hosts = [...new Set([config.mailHost, `smtp.${config.domains[0]}`, ...web])];
  const kept = existsSync(file) ? splitPem(readFileSync(file, "utf8")) : null;
  if (kept !== null && isStillValid(kept, hosts, clock.now())) return kept;
  const made = makeSelfSigned({
    commonName: `${product.name} self-signed`,
    hosts,
    notBefore: new Date(clock.now().getTime() - DAY_MS),
    notAfter: new Date(clock.now().getTime() + VALID_DAYS * DAY_MS),
  });
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.tmp`, made.key + made.cert, { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
  return made;
}

function isStillValid(pair: CertificatePair, hosts: readonly string[], now: Date): boolean {
  const cert = orNull(() => new X509Certificate(pair.cert));
  const key = orNull(() => createPrivateKey(pair.key));
  if (cert === null || key === null || !cert.checkPrivateKey(key)) return false;
  const names = hosts.map((host) => `DNS:${host}`).join(", ");
  return cert.subjectAltName === names && cert.validToDate.getTime() - now.getTime() > RENEW_DAYS * DAY_MS;
}

function splitPem(text: string): CertificatePair {
  const start = text.indexOf("-----BEGIN CERTIFICATE-----");
  return start === -1 ? { key: "", cert: "" } : { key: text.slice(0, start), cert: text.slice(start) };
}

function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
