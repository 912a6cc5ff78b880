/** Who forwards the aliases' mail: our own engine, which needs no telling, or a provider, which has a copy of each. */
import type { HeldReason, ProviderProblem } from "@kauke/contract";
import type { ProviderAccount } from "./provider-account.ts";

export interface ProviderRecord {
  name: string;
  domain: string;
  /** Mailboxes and webhook URLs, never none. */
  recipients: readonly string[];
  isEnabled: boolean;
  /** SMTP reply while it is off: 250 takes mail and drops it, 421 has senders try again, 550 refuses. */
  codeIfDisabled: 250 | 421 | 550;
  /** Password for sending as the alias; `null`: none may send. */
  password: string | null;
  /** Why the provider is to switch an active alias off; `null` if it is on, or paused by its owner. */
  held: HeldReason | null;
}

/** `null`: the alias is to be gone. */
export type WantedRecord = ProviderRecord | null;

/** What we know of the provider's copy; all `null` before the first call for an alias. */
export interface KnownRecord {
  providerId: string | null;
  /** Address (`name@domain`) of the last call, also of one whose response was lost. */
  address: string | null;
  /** Digest of the record that the provider confirmed last. */
  mark: string | null;
  /** Digest of the password that is set there; `null`: none. */
  passwordMark: string | null;
  /** Calls that had no response and may yet be carried out; left out when there are none. */
  late?: readonly LateCall[];
}

export interface LateCall {
  /** Address (`name@domain`) at which it may make a copy; `null`: it may set a password. */
  address: string | null;
  /** Milliseconds since 1970; later than that, nothing comes of it. */
  until: number;
}

export const nothingKnown: KnownRecord = { providerId: null, address: null, mark: null, passwordMark: null };

/** `isSure` is false when a call may still be carried out late: the alias is then looked at once more. */
export type Brought = { isSure: boolean; known: KnownRecord } & (
  | { kind: "done" }
  | { kind: "failed"; problem: ProviderProblem; retryAfterSeconds: number | null }
);

export interface BringInput {
  aliasId: string;
  /** Account of the alias, for its share of what the provider allows. */
  userId: string;
  wanted: WantedRecord;
  known: KnownRecord;
  /** Asks the provider even if nothing has changed since. */
  isRecheck: boolean;
  /** Stores what a call may leave behind, before it is made. @returns false: the alias was claimed anew, so stop */
  note(known: KnownRecord): Promise<boolean>;
}

export interface ForwardingProvider {
  /** What people are told of it; `null`: our own engine. */
  readonly about: { name: string; smtpHost: string } | null;
  /** Makes the provider's copy as wanted. Never throws because of what the provider does. */
  bring(input: BringInput, signal: AbortSignal): Promise<Brought>;
  /** What the operator's commands and the doctor ask; `null`: our own engine. */
  readonly account: ProviderAccount | null;
}

export const engineForwarding: ForwardingProvider = {
  about: null,
  account: null,
  bring: async ({ known }) => ({ kind: "done", isSure: true, known }),
};
