/** What is stored of a certificate and of the orders for it, and when the next order is due. */
import { X509Certificate } from "node:crypto";
import type { CertificateRecords } from "../../core/certificate.ts";
import type { CertificatePair } from "../self-signed.ts";
import type { AcmeFailure } from "./acme-client.ts";

export interface StoredCertificate extends CertificatePair {
  /** Directory of the issuer that it came from; another one's certificate is replaced. */
  directoryUrl: string;
  /** ISO 8601, as the other times. */
  renewAt: string;
  /** When to ask the issuer again when it would renew (RFC 9773). */
  askAgainAt: string;
}

/** How the last orders of a certificate went. */
export interface OrderState {
  failures: number;
  /** No order before this time. */
  notBefore: string;
  failure: AcmeFailure | "no_address" | null;
  /** Names that the issuer could not prove, or that have no address. */
  leftOut: readonly string[];
}

/** However many strangers ask for challenges, each process asks the store once in this time. */
export const CHALLENGES_READ_EVERY_MS = 500;

/** Name of the record of a challenge at port 443; those at port 80 are stored by their token, which has no space. */
export const alpnChallengeName = (host: string): string => `tls-alpn-01 ${host}`;

const neverOrdered: OrderState = { failures: 0, notBefore: new Date(0).toISOString(), failure: null, leftOut: [] };

/** What `kauke setup` begins with: as if nothing had failed. A rate limit of the issuer is waited for all the same. */
export const forgotten = (state: OrderState): OrderState => (state.failure === "rate_limited" ? state : neverOrdered);

export interface CertificateStanding {
  /** Of the issuer that is asked now. */
  stored: StoredCertificate | null;
  state: OrderState;
}

export async function certificateStandingOf(
  { records, directoryUrl }: { records: CertificateRecords; directoryUrl: string },
  label: string,
): Promise<CertificateStanding> {
  const [found, state] = await Promise.all([records.read("certificate", label), records.read("state", label)]);
  const stored = found as StoredCertificate | null;
  const isOfIssuer = stored?.directoryUrl === directoryUrl;
  return { stored: isOfIssuer ? stored : null, state: (state as OrderState | null) ?? neverOrdered };
}

export const writeCertificate = (records: CertificateRecords, name: string, value: StoredCertificate) =>
  records.write({ kind: "certificate", name, value, expiresAt: null });

export const writeState = (records: CertificateRecords, name: string, value: OrderState) =>
  records.write({ kind: "state", name, value, expiresAt: null });

/** When to order, in epoch milliseconds: a certificate is missing, lacks a name, or is at two thirds of its life. */
export function orderDueAt({ stored, state }: CertificateStanding, hosts: readonly string[]): number {
  const notBefore = Date.parse(state.notBefore);
  return stored === null || !covers(stored, hosts) ? notBefore : Math.max(notBefore, Date.parse(stored.renewAt));
}

export function covers({ cert }: CertificatePair, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every((host) => certificate.checkHost(host) !== undefined);
}

export const validUntil = ({ cert }: CertificatePair): Date => new X509Certificate(cert).validToDate;
