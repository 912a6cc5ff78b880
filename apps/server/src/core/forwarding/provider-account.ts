/** The operator's account at the forwarding provider: its domains, limits, and the copies of our aliases. */
import type { ProviderProblem } from "@kauke/contract";

export interface ProviderCopy {
  providerId: string;
  /** `name@domain`, lower case. */
  address: string;
  recipients: readonly string[];
  isEnabled: boolean;
  codeIfDisabled: number;
  /** Id of the alias that we made it for, from our mark in it; `null`: somebody else made it. */
  aliasId: string | null;
  /** Mail is stored there too (IMAP); a change of ours would end that. */
  hasImap?: boolean;
  /** One of `operator-copies.ts`, by our mark. */
  isOperators?: boolean;
}

export interface ProviderDomain {
  domain: string;
  /** A domain that the provider shares between its customers: it can't send, and its aliases are few. */
  isShared: boolean;
  /** Whether mail to names without an alias is forwarded too; `null`: not told. */
  hasCatchAll: boolean | null;
  hasMxRecord: boolean;
  hasTxtRecord: boolean;
  /** Value of the TXT record by which the provider verifies the domain; `null`: not told. */
  verificationRecord: string | null;
  /** Whether it may send: the provider approves that by hand. */
  maySend: boolean;
  isSendingSuspended: boolean;
}

export interface ProviderStanding {
  /** Plan of the account, e.g. `free`; `null`: not told. */
  plan: string | null;
  /** Messages sent today, and how many may be; `null`: not told. */
  sending: { count: number; limit: number } | null;
}

/** What could not be read or done, without any text of the provider. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly problem: ProviderProblem;
  readonly retryAfterSeconds: number | null;
  constructor(problem: ProviderProblem, retryAfterSeconds: number | null = null) {
    super(problem);
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Every call throws ProviderError. */
export interface ProviderAccount {
  standing(signal: AbortSignal): Promise<ProviderStanding>;
  /** @returns `null` when the account has no such domain */
  domain(name: string, signal: AbortSignal): Promise<ProviderDomain | null>;
  /** Adds the domain, without a catch-all. */
  addDomain(name: string, signal: AbortSignal): Promise<ProviderDomain>;
  /** Asks the provider to check the domain's DNS records now. @returns whether it is satisfied */
  /** @param address `name@domain` @returns `null` when there is none */
  copyAt(address: string, signal: AbortSignal): Promise<ProviderCopy | null>;
  /** Makes an address of the operator forward to `mailbox`; only for one that is missing or has our mark. */
  putOperatorCopy(address: string, mailbox: string, signal: AbortSignal): Promise<void>;
  verify(name: string, what: "forwarding" | "sending", signal: AbortSignal): Promise<boolean>;
  /** All aliases of a domain, in pages. */
  copies(domain: string, signal: AbortSignal): AsyncIterable<readonly ProviderCopy[]>;
}
