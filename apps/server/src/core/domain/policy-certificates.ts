/** Certificates of own domains' policy hosts (MTA-STS): which are due, and what is stored of each. */
import type { DomainPolicyState } from "@kauke/contract";
import type { CertificateRecords } from "../certificate.ts";

/** A domain whose certificate is ordered, or asked about, until its lease ends. */
export interface DueCertificate {
  domainId: string;
  userId: string;
  /** A-labels in lower case. */
  domain: string;
  leasedUntil: Date;
}

export interface PolicyOutcome {
  state: Exclude<DomainPolicyState, "none">;
  /** When it is ordered, or renewed, next. */
  dueAt: Date;
}

export type OrderRecords = Pick<CertificateRecords, "read" | "write" | "delete">;

export interface PolicyCertificateStore {
  /** Leases those that are due for longest, one of an account at a time, of domains whose policy host leads here. */
  claimDue(options: { most: number; leaseMs: number }): Promise<DueCertificate[]>;
  /** Ends the lease. */
  settle(due: DueCertificate, outcome: PolicyOutcome): Promise<void>;
  /**
   * The domain's own records, in place of the server's; the ACME account is one that all own domains share. What is
   * written for a domain that is gone is dropped.
   */
  recordsOf(domainId: string): OrderRecords;
}
