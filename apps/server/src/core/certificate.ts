/** Which names share a certificate of an issuer (ACME), when to renew it, and what is stored of its order. */
import type { X509Certificate } from "node:crypto";
import { smtpHost } from "./smtp-credential.ts";

export interface WantedCertificate {
  /** E.g. `site`; stays the same when a name is added. */
  label: string;
  hosts: readonly string[];
}

interface ServerNames {
  publicUrl: string;
  publicUrlGiven: boolean;
  mailHost: string;
  domains: readonly string[];
  forwarding: { kind: string };
  /** `null`: mail programs find no settings here. */
  pop3s: unknown;
}

/**
 * Each name of a policy or of mail programs' settings has a certificate of its own, so that one with wrong DNS fails
 * alone; the others share one, ordered first. With a forwarding provider no mail host of ours is in DNS.
 */
export function wantedCertificates(names: ServerNames): WantedCertificate[] {
  const { publicUrl, publicUrlGiven, mailHost, domains, forwarding, pop3s } = names;
  const site = publicUrlGiven ? publicHost(publicUrl) : null;
  if (forwarding.kind !== "engine") return site === null ? [] : [{ label: "site", hosts: [site] }];
  const main = [...new Set([mailHost, ...(site === null ? [] : [site]), smtpHost(domains)])];
  const ofPrograms = pop3s === null ? [] : domains.flatMap(clientSettingsHosts);
  const others = [...domains.map(policyHost), ...ofPrograms].filter((host) => !main.includes(host));
  return [{ label: "site", hosts: main }, ...others.map((host) => ({ label: host, hosts: [host] }))];
}

/** Host name of the web app; `null` for an IP address and localhost, for which no issuer gives certificates. */
export function publicHost(url: string): string | null {
  const host = new URL(url).hostname.replace(/\.$/, "");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  return isLocal || host.startsWith("[") || /^[\d.]+$/.test(host) ? null : host;
}

/** To which policy hosts of accounts' domains lead; `null` unless this server itself can get certificates and serve them. */
export function policyTargetOf(server: {
  acme: unknown;
  https: unknown;
  publicUrl: URL;
  publicUrlGiven: boolean;
  forwarding: { kind: string };
}): string | null {
  const isOurs = server.acme !== null && server.https !== null && server.forwarding.kind === "engine";
  return isOurs && server.publicUrlGiven ? publicHost(server.publicUrl.origin) : null;
}

/** Host of a domain's MTA-STS policy (RFC 8461 §3.3). */
export const policyHost = (domain: string): string => `mta-sts.${domain}`;

/** Hosts at which mail programs look for a domain's settings: Thunderbird and others, then Outlook. */
export const clientSettingsHosts = (domain: string): readonly string[] => [
  `autoconfig.${domain}`,
  `autodiscover.${domain}`,
];

const RENEW_AT_PART = 2 / 3;
/** Spreads the renewals of servers that got their certificates at the same moment. */
const JITTER_PART = 1 / 20;

/** Renews after two thirds of the certificate's lifetime and up to a twentieth more. @param draw from 0 to 1 */
export function renewalTime({ notBefore, notAfter }: { notBefore: Date; notAfter: Date }, draw: number): Date {
  const life = notAfter.getTime() - notBefore.getTime();
  return new Date(notBefore.getTime() + life * (RENEW_AT_PART + JITTER_PART * draw));
}

const MINUTE_MS = 60_000;
/** Let's Encrypt allows five failures per name and hour. */
const retryMinutes = [5, 15, 60, 240, 720, 1440];

/** Milliseconds until the next order. @param failures consecutive ones, at least 1 */
export function orderPauseMs(failures: number, retryAfterMs: number | null): number {
  const own = (retryMinutes[Math.min(failures, retryMinutes.length) - 1] ?? 1440) * MINUTE_MS;
  return Math.max(own, retryAfterMs ?? 0);
}

/** Stores sealed values by kind and name. All processes on a database share them. */
export interface CertificateRecords {
  read(kind: CertificateRecordKind, name: string): Promise<unknown>;
  list(kind: CertificateRecordKind): Promise<{ name: string; value: unknown }[]>;
  /** @param expiresAt when retention may delete it; `null`: never */
  write(record: { kind: CertificateRecordKind; name: string; value: unknown; expiresAt: Date | null }): Promise<void>;
  delete(kind: CertificateRecordKind, name: string): Promise<void>;
  /** Lets one process at a time order. @returns the lease's id; `null` while another process holds it */
  takeLease(until: Date, now: Date): Promise<string | null>;
  releaseLease(id: string): Promise<void>;
  deleteExpired(now: Date): Promise<number>;
}

/** An `account` is named by its issuer's directory URL, a `challenge` by token, the others by certificate label. */
export type CertificateRecordKind = "account" | "order" | "challenge" | "certificate" | "state" | "lease";

/** `X509Certificate.checkIssued` says no of one that is not for signing others, such as the server's own. */
export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.verify(certificate.publicKey);
}
