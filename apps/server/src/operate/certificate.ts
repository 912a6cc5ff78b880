/**
 * The TLS certificate of STARTTLS and of the submission port: the operator's own files, read again when they change, or a
 * self-signed one kept beside the data (one file, mode 0600) and renewed 30 days before its end or when its names change.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { product } from "@kauke/contract";
import type { Config } from "../config.ts";
import type { Clock, Logger } from "../core/ports.ts";
import { SettingsError } from "../settings-error.ts";
import { type CertificatePair, makeSelfSigned } from "./self-signed.ts";

export interface CertificateSource {
  current(): CertificatePair;
  /** Called with each later pair, for `setSecureContext` of the listeners. */
  onChange(listener: (pair: CertificatePair) => void): void;
  close(): void;
}

export interface CertificateDeps {
  clock: Clock;
  logger: Logger;
  /** How often files and end dates are looked at. */
  checkEveryMs?: number;
}

type CertificateConfig = Pick<Config, "tls" | "dataDir" | "mailHost" | "domains">;

const day = 86_400_000;
const validDays = 365;
const renewDays = 30;

/** @throws SettingsError naming KAUKE_TLS_CERT or KAUKE_TLS_KEY when the operator's files cannot serve */
export function loadCertificate(config: CertificateConfig, deps: CertificateDeps): CertificateSource {
  const read = config.tls === null ? () => readOwn(config, deps.clock) : fileReader(config.tls);
  let pair = read();
  const listeners: ((pair: CertificatePair) => void)[] = [];
  const check = () => {
    const latest = readOrKeep(read, pair, deps.logger);
    if (latest.cert === pair.cert && latest.key === pair.key) return;
    pair = latest;
    deps.logger.info("certificate_changed");
    for (const listener of listeners) listener(pair);
  };
  const timer = setInterval(check, deps.checkEveryMs ?? 30_000).unref();
  return {
    current: () => pair,
    onChange: (listener) => listeners.push(listener),
    close: () => clearInterval(timer),
  };
}

/** Files that are just being replaced, or were replaced by something useless, never take the working pair away. */
function readOrKeep(read: () => CertificatePair, kept: CertificatePair, logger: Logger): CertificatePair {
  try {
    return read();
  } catch {
    logger.warn("certificate_unusable");
    return kept;
  }
}

/** Reads the operator's files; unchanged files (by time and size) are not parsed again. */
function fileReader(files: { certFile: string; keyFile: string }): () => CertificatePair {
  let seen = "";
  let pair: CertificatePair | null = null;
  return () => {
    const cert = readSetting("KAUKE_TLS_CERT", files.certFile);
    const key = readSetting("KAUKE_TLS_KEY", files.keyFile);
    const state = `${cert.state} ${key.state}`;
    if (pair !== null && state === seen) return pair;
    const read = { cert: cert.text, key: key.text };
    refuseUseless(read);
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

function refuseUseless({ cert, key }: CertificatePair): void {
  const parsed = orNull(() => new X509Certificate(cert));
  if (parsed === null) throw new SettingsError(["KAUKE_TLS_CERT names a file without a PEM certificate."]);
  const privateKey = orNull(() => createPrivateKey(key));
  if (privateKey === null) throw new SettingsError(["KAUKE_TLS_KEY names a file without an unencrypted PEM key."]);
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new SettingsError(["KAUKE_TLS_KEY does not belong to the certificate in KAUKE_TLS_CERT."]);
  }
}

/** The self-signed pair on disk, or a new one when there is none that still serves. */
function readOwn(config: CertificateConfig, clock: Clock): CertificatePair {
  const file = join(config.dataDir, "self-signed.pem");
  const hosts = [...new Set([config.mailHost, `smtp.${config.domains[0]}`])];
  const kept = existsSync(file) ? splitPem(readFileSync(file, "utf8")) : null;
  if (kept !== null && stillServes(kept, hosts, clock.now())) return kept;
  const made = makeSelfSigned({
    commonName: `${product.name} self-signed`,
    hosts,
    notBefore: new Date(clock.now().getTime() - day),
    notAfter: new Date(clock.now().getTime() + validDays * day),
  });
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.tmp`, made.key + made.cert, { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
  return made;
}

function stillServes(pair: CertificatePair, hosts: readonly string[], now: Date): boolean {
  const cert = orNull(() => new X509Certificate(pair.cert));
  const key = orNull(() => createPrivateKey(pair.key));
  if (cert === null || key === null || !cert.checkPrivateKey(key)) return false;
  const names = hosts.map((host) => `DNS:${host}`).join(", ");
  return cert.subjectAltName === names && cert.validToDate.getTime() - now.getTime() > renewDays * day;
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
