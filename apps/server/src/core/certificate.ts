/** Certificates from an issuer (ACME): which names share one, when to renew, and what is stored of an order. */
import { smtpHost } from "./smtp-credential.ts";

/** One certificate to order. */
export interface WantedCertificate {
  /** Stays the same when a name is added, e.g. `site`. */
  label: string;
  hosts: readonly string[];
}

interface ServerNames {
  publicUrl: string;
  publicUrlGiven: boolean;
  mailHost: string;
  domains: readonly string[];
}

/**
 * Web app, mail host and the host of submission share a certificate; each `mta-sts` name has its own, so that one that
 * does not lead here fails alone.
 */
export function wantedCertificates({ publicUrl, publicUrlGiven, mailHost, domains }: ServerNames): WantedCertificate[] {
  const site = publicUrlGiven ? publicHost(publicUrl) : null;
  const main = [...new Set([mailHost, ...(site === null ? [] : [site]), smtpHost(domains)])];
  const others = domains.map(policyHost).filter((host) => !main.includes(host));
  return [{ label: "site", hosts: main }, ...others.map((host) => ({ label: host, hosts: [host] }))];
}

/** Host name of the web app; `null` for an IP address and for localhost, which neither DNS nor an issuer knows. */
export function publicHost(url: string): string | null {
  const host = new URL(url).hostname.replace(/\.$/, "");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  return isLocal || host.startsWith("[") || /^[\d.]+$/.test(host) ? null : host;
}

/** Where a domain's MTA-STS policy is (RFC 8461 §3.3). */
export const policyHost = (domain: string): string => `mta-sts.${domain}`;

const RENEW_AT_PART = 2 / 3;
/** Servers that got their certificates at the same moment don't ask for new ones at the same moment. */
const JITTER_PART = 1 / 20;

/**
 * When to renew: at two thirds of a certificate's life and up to a twentieth of it later.
 * @param draw from 0 to 1
 */
export function renewalTime({ notBefore, notAfter }: { notBefore: Date; notAfter: Date }, draw: number): Date {
  const life = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + life * (RENEW_AT_PART + JITTER_PART * draw));
}

const MINUTE_MS = 60_000;
/** Few enough for Let's Encrypt, which allows five failures per name and hour. */
const retryMinutes = [5, 15, 60, 240, 720, 1440];

/** Milliseconds until the next order. @param failures in a row, at least 1 */
export function orderPauseMs(failures: number, retryAfterMs: number | null): number {
  const own = (retryMinutes[Math.min(failures, retryMinutes.length) - 1] ?? 1440) * MINUTE_MS;
  return Math.max(own, retryAfterMs ?? 0);
}

/** What is stored for certificates: sealed values under a kind and a name. All processes on a database share them. */
export interface CertificateRecords {
  read(kind: CertificateRecordKind, name: string): Promise<unknown>;
  list(kind: CertificateRecordKind): Promise<{ name: string; value: unknown }[]>;
  /** @param expiresAt when retention may delete it; `null`: never */
  write(record: { kind: CertificateRecordKind; name: string; value: unknown; expiresAt: Date | null }): Promise<void>;
  delete(kind: CertificateRecordKind, name: string): Promise<void>;
  /** One process at a time orders. @returns the lease's id; `null` while another process holds it */
  takeLease(until: Date, now: Date): Promise<string | null>;
  releaseLease(id: string): Promise<void>;
  deleteExpired(now: Date): Promise<number>;
}

/** `account`: by URL of the issuer's directory; `challenge`: by token; the others by the certificate's label. */
export type CertificateRecordKind = "account" | "order" | "challenge" | "certificate" | "state" | "lease";
