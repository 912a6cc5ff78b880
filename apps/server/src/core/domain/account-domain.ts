/** Own domains of accounts: their rows, and what proves them. */

import type { DomainPolicyState, DomainRecordName, DomainRecordWire } from "@kauke/contract";
import type { DkimKey, PublicDkimKey } from "@kauke/mail-rfc";
import type { AppearRules } from "./appear-rules.ts";
import type { DomainState, DomainVerdict } from "./domain-standing.ts";

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
  state: DomainState;
  createdAt: Date;
  provenAt: Date | null;
  checkedAt: Date | null;
  failingSince: Date | null;
  stateUntil: Date | null;
  /** By the last check; empty before the first. */
  seen: readonly SeenRecord[];
  /** Of the key that signs, then of the next one. */
  dkim: readonly PublicDkimKey[];
  aliasCount: number;
  appearing: AppearRules;
  /** Shown to correspondents of its aliases that have none of their own. */
  displayName: string | null;
  policy: DomainPolicyState;
}

export interface AccountDomainStore {
  /** By name. */
  list(userId: string): Promise<AccountDomain[]>;
  /** @returns `null` for a domain that is not the account's */
  find(userId: string, domainId: string): Promise<AccountDomain | null>;
  /**
   * Makes the domain's two DKIM keys as well, sealed. `exists`: the account has it; `full`: it has `max` domains;
   * `ending`: it has removed it, and mail that was accepted before is still being delivered.
   */
  add(
    domain: Pick<AccountDomain, "userId" | "domain" | "token">,
    options: { now: Date; max: number },
  ): Promise<AccountDomain | "exists" | "full" | "ending">;
  /**
   * Stores what a check saw, what follows for the domain's standing, and a notice of it. Processes know the new standing
   * when this resolves here, elsewhere within a second. `taken`: another account holds it; then only what was seen is
   * stored, and that account is told of the claim. A check that was begun before a stored one changes nothing. With a
   * proof, the aliases end that other accounts had on the domain.
   */
  saveCheck(domain: Pick<AccountDomain, "userId" | "id">, check: DomainCheck): Promise<"saved" | "taken" | "gone">;
  /**
   * Locks the row, and stores the rules that `change` returns. They apply to mail in this process when
   * this resolves, elsewhere within a second. @returns false for a domain that is not the account's
   */
  changeAppearing(
    domain: Pick<AccountDomain, "userId" | "id">,
    change: (rules: AppearRules) => AppearRules,
  ): Promise<boolean>;
  /** Mail that leaves later has it, in every process. @returns false for a domain that is not the account's */
  setDisplayName(domain: Pick<AccountDomain, "userId" | "id">, name: string | null): Promise<boolean>;
  /**
   * Takes its mail no more, and ends its aliases `withAliases`, once mail accepted before is delivered; `in_use`: aliases
   * are left that are not being deleted already. What is left undone is due like a check (`DomainRecheckStore`).
   */
  delete(userId: string, domainId: string, options?: { withAliases?: boolean }): Promise<"deleted" | "in_use" | "gone">;
  /** Continues what `delete` or another account's proof has begun. @param stopping the rest is due later */
  endAliases(domain: Pick<AccountDomain, "userId" | "id">, stopping?: AbortSignal): Promise<void>;
}

export interface DomainCheck {
  seen: readonly SeenRecord[];
  verdict: DomainVerdict;
  begunAt: Date;
  now: Date;
}

/** A domain whose records a worker looks up again, until its lease ends. */
export interface DueDomain {
  id: string;
  userId: string;
  leasedUntil: Date;
  /** Its aliases end, and no record is looked up. */
  isEnding: boolean;
}

export interface DomainRecheckStore {
  /** Leases the domains that are due for longest, one of an account at a time. `saveCheck` ends the lease. */
  claimDue(options: { most: number; leaseMs: number }): Promise<DueDomain[]>;
  /** Makes a domain that was not looked at due again. */
  release(due: DueDomain): Promise<void>;
}

export interface ProvenDomain {
  id: string;
  userId: string;
  state: DomainState;
  /** Whether the host of its MTA-STS policy leads to this server; absent: no. */
  hasPolicyHost?: boolean;
}

/** The domains that accounts have proven and still hold, in memory. */
export interface ProvenDomains {
  /** @param domain A-labels in lower case */
  find(domain: string): ProvenDomain | null;
  /** Those of the account on which mail is accepted, in order of their names. */
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

/** The rules of domains on which aliases appear, opened when needed. */
export interface AppearingDomains {
  /** `null` for a domain on which none appear. @param domain A-labels in lower case */
  find(domain: string): Promise<AppearingDomain | null>;
}

export interface AppearingDomain {
  id: string;
  userId: string;
  rules: AppearRules;
  never: ReadonlySet<string>;
}
