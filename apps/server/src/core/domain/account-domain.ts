/** Own domains of accounts: their rows, and what proves them. */

import type { AccountDomainWire, DomainRecordName, DomainRecordWire } from "@kauke/contract";
import type { DkimKey, PublicDkimKey } from "@kauke/mail-rfc";

/** What DNS answered for one record. */
export interface SeenRecord {
  name: DomainRecordName;
  state: DomainRecordWire["state"];
  found: readonly string[];
}

export interface AccountDomain {
  id: string;
  userId: string;
  /** A-labels in lower case. */
  domain: string;
  /** Text of the ownership record, `kauke-domain=<token>`; a new one for each account and domain. */
  token: string;
  state: AccountDomainWire["state"];
  createdAt: Date;
  provenAt: Date | null;
  checkedAt: Date | null;
  /** By the last check; empty before the first. */
  seen: readonly SeenRecord[];
  /** Of the key that signs, and of the one that will after it (both are published, so that a rotation needs no change in DNS). */
  dkim: readonly PublicDkimKey[];
  aliasCount: number;
}

export interface AccountDomainStore {
  /** By name. */
  list(userId: string): Promise<AccountDomain[]>;
  /** @returns `null` for a domain that is not the account's */
  find(userId: string, domainId: string): Promise<AccountDomain | null>;
  /** Makes the domain's two DKIM keys as well, sealed. `exists`: the account has it; `full`: it has `max` domains. */
  add(
    domain: Pick<AccountDomain, "userId" | "domain" | "token">,
    options: { now: Date; max: number },
  ): Promise<AccountDomain | "exists" | "full">;
  /**
   * Stores what a check saw. With `proves`, a new domain becomes proven, and every process accepts its mail when this
   * resolves here, elsewhere within a second. `taken`: another account has proven it; then only what was seen is stored.
   */
  saveCheck(
    domain: Pick<AccountDomain, "userId" | "id">,
    check: { seen: readonly SeenRecord[]; proves: boolean; now: Date },
  ): Promise<"saved" | "taken" | "gone">;
  /** `in_use`: aliases on it are left. */
  delete(userId: string, domainId: string): Promise<"deleted" | "in_use" | "gone">;
}

/** The proven domains of all accounts, in memory. */
export interface ProvenDomains {
  /** @param domain A-labels in lower case */
  find(domain: string): { id: string; userId: string } | null;
  /** The account's, in order of their names. */
  ofAccount(userId: string): readonly string[];
}

/** The proven domains as a process that is one of several knows them. */
export interface SharedProvenDomains extends ProvenDomains {
  /** False while this process may have missed that another has proven a domain, so that an unknown one may be proven. */
  isCurrent(): boolean;
}

/** DKIM keys of proven domains, opened when needed. */
export interface AccountDomainKeys {
  /** The key that signs for a domain; none for a domain that no account has proven. @param domain A-labels in lower case */
  of(domain: string): Promise<readonly DkimKey[]>;
}
