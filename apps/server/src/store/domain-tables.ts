/** Tables of own domains of accounts. */
import type { AccountDomainWire } from "@kauke/contract";

export interface AccountDomainTable {
  id: string;
  user_id: string;
  domain_index: Buffer;
  state: AccountDomainWire["state"];
  created_at: Date;
  proven_at: Date | null;
  checked_at: Date | null;
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
