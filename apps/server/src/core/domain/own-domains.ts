/** An account's own domains: added, listed, removed. check-own-domain.ts proves them. */
import { accountDomainMessages } from "@kauke/contract";
import { type Random, randomText } from "../../runtime/ports.ts";
import { AppError, fieldError, notFound } from "../app-error.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { AccountDomain, AccountDomainStore } from "./account-domain.ts";
import { readDomainName } from "./domain-name.ts";

/** What the operator allows, and the names of the server. */
export interface DomainRules {
  /** Own domains that an account may have; 0: none may be added. */
  max: number;
  /** To which MX records lead; A-labels in lower case. */
  mailHost: string;
  /** To which policy hosts lead (MTA-STS); `null` when this server can't get certificates for them and serve them. */
  policyTarget: string | null;
  /** No own domain may be one of these, above or below one. */
  serverNames: readonly string[];
}

export interface DomainDeps {
  accountDomains: AccountDomainStore;
  domainRules: DomainRules;
}

const TOKEN_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const TOKEN_LENGTH = 26;
const refusals = {
  invalid: accountDomainMessages.invalid,
  suffix: accountDomainMessages.suffix,
  of_server: accountDomainMessages.ofServer,
} as const;

/** @throws AppError `invalid`, `domain_exists`; `not_possible` when off or full; `rate_limited` */
export async function addDomain(
  deps: DomainDeps & LimitDeps & { random: Random },
  { userId, name }: { userId: string; name: string },
): Promise<AccountDomain> {
  const { max, serverNames } = deps.domainRules;
  if (max === 0) throw domainsOff();
  const read = readDomainName(name, serverNames);
  if (read.kind !== "read") throw fieldError("domain", refusals[read.kind]);
  // Each makes two keys, which take a second of processor time.
  await takeLimit(deps, "domain_add", { userId });
  const token = `kauke-domain=${randomText(deps.random, TOKEN_ALPHABET, TOKEN_LENGTH)}`;
  const added = await deps.accountDomains.add({ userId, domain: read.domain, token }, { now: deps.clock.now(), max });
  if (added === "exists") throw new AppError("domain_exists");
  if (added === "ending") throw new AppError("not_possible", { message: accountDomainMessages.ending });
  if (added === "full") throw new AppError("not_possible", { message: accountDomainMessages.tooMany });
  return added;
}

export const domainsOff = (): AppError => new AppError("not_possible", { message: accountDomainMessages.off });

export const domainNotFound = (): AppError => notFound("Domain not found");

/**
 * @param confirm the domain's name, as a person typed it: its aliases end with it
 * @throws AppError `not_found`; `domain_in_use` while it has aliases and its name is not confirmed
 */
export async function removeDomain(
  { accountDomains }: Pick<DomainDeps, "accountDomains">,
  { userId, domainId, confirm = "" }: { userId: string; domainId: string; confirm?: string | undefined },
): Promise<void> {
  const found = await accountDomains.find(userId, domainId);
  if (found === null) throw domainNotFound();
  const typed = readDomainName(confirm, []);
  const withAliases = typed.kind === "read" && typed.domain === found.domain;
  const outcome = await accountDomains.delete(userId, domainId, { withAliases });
  if (outcome === "gone") throw domainNotFound();
  if (outcome === "in_use") throw new AppError("domain_in_use");
}
