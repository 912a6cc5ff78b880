import { X509Certificate } from "node:crypto";
import type { CertificateRecords } from "../../core/certificate.ts";
import type { CertificatePair } from "../self-signed.ts";
import type { AcmeFailure } from "./acme-client.ts";

export interface StoredCertificate extends CertificatePair {
  /** Directory URL of its issuer; the certificate of another issuer is replaced. */
  directoryUrl: string;
  /** ISO 8601, as the other times. */
  renewAt: string;
  /** When to ask the issuer for renewal information again (RFC 9773). */
  askAgainAt: string;
}

/** Result of a certificate's last orders. */
export interface OrderState {
  failures: number;
  notBefore: string;
  failure: AcmeFailure | "no_address" | null;
  /** Names without an address, or that the issuer could not prove. */
  leftOut: readonly string[];
}

/** However many strangers request challenges, each process reads the store once in this time. */
export const CHALLENGES_READ_EVERY_MS = 500;

/** Record name of a challenge at port 443; those at port 80 are named by token, which has no space. */
export const alpnChallengeName = (host: string): string => `tls-alpn-01 ${host}`;

const neverOrdered: OrderState = { failures: 0, notBefore: new Date(0).toISOString(), failure: null, leftOut: [] };

/** State at `kauke setup`: failures are forgotten, except a rate limit of the issuer. */
export const forgotten = (state: OrderState): OrderState => (state.failure === "rate_limited" ? state : neverOrdered);

export interface CertificateStanding {
  /** The certificate, if it is from the current issuer. */
  stored: StoredCertificate | null;
  state: OrderState;
}

export async function certificateStandingOf(
  { records, directoryUrl }: { records: Pick<CertificateRecords, "read">; directoryUrl: string },
  label: string,
): Promise<CertificateStanding> {
  const [found, state] = await Promise.all([records.read("certificate", label), records.read("state", label)]);
  const stored = found as StoredCertificate | null;
  const isOfIssuer = stored?.directoryUrl === directoryUrl;
  return { stored: isOfIssuer ? stored : null, state: (state as OrderState | null) ?? neverOrdered };
}

export const writeCertificate = (records: Pick<CertificateRecords, "write">, name: string, value: StoredCertificate) =>
  records.write({ kind: "certificate", name, value, expiresAt: null });

export const writeState = (records: Pick<CertificateRecords, "write">, name: string, value: OrderState) =>
  records.write({ kind: "state", name, value, expiresAt: null });

/** When to order, in epoch milliseconds: the certificate is missing, lacks a name or is due for renewal. */
export function orderDueAt({ stored, state }: CertificateStanding, hosts: readonly string[]): number {
  const notBefore = Date.parse(state.notBefore);
  return stored === null || !covers(stored, hosts) ? notBefore : Math.max(notBefore, Date.parse(stored.renewAt));
}

export function covers({ cert }: CertificatePair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every((host) => certificate.checkHost(host) !== undefined);
}

export const validUntil = ({ cert }: CertificatePair): Date => new X509Certificate(cert).validToDate;
