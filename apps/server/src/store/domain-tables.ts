/** Tables of own domains of accounts. */
import type { AccountDomainWire, DomainPolicyState } from "@kauke/contract";
import type { Generated } from "kysely";

export interface AccountDomainTable {
  id: string;
  user_id: string;
  domain_index: Buffer;
  state: AccountDomainWire["state"];
  created_at: Date;
  proven_at: Date | null;
  checked_at: Date | null;
  failing_since: Date | null;
  /** When the state ends, unless a check proves the domain. */
  state_until: Date | null;
  /** Up to when the state's time is counted. */
  counted_at: Date | null;
  /** When the records are looked up again; null for a new domain. */
  due_at: Date | null;
  leased_until: Date | null;
  /** Since DNS last answered. Each puts the next check off further. */
  unanswered_checks: Generated<number>;
  /** Why its aliases end, until none is left. A domain that is being removed is shown to nobody. */
  ends: Generated<"removed" | "taken" | null>;
  sealed: Buffer;
}

export interface AccountDomainCertificateTable {
  /** Of its domain. */
  id: string;
  user_id: string;
  state: Exclude<DomainPolicyState, "none">;
  /** When to order or to renew next; null: the policy host does not lead here. */
  due_at: Date | null;
  leased_until: Date | null;
  sealed: Buffer;
}

export interface AccountDomainKeyTable {
  id: string;
  domain_id: string;
  selector: string;
  /** `next`: its record is published, and it signs after a rotation. */
  state: "signs" | "next";
  created_at: Date;
  sealed: Buffer;
}
