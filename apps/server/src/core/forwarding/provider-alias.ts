/** The outbox to the forwarding provider: one row for each alias that is, was or should be there. */
import type { HeldReason, ProviderProblem } from "@kauke/contract";
import type { KnownRecord } from "./forwarding-provider.ts";

export interface ClaimedAlias {
  aliasId: string;
  userId: string;
  lease: string;
  /** Number of the change that is carried out; a later one makes the row due again. */
  version: number;
  tries: number;
  known: KnownRecord;
  /** The provider is asked even if nothing has changed, because an earlier call may have been carried out late. */
  isRecheck: boolean;
  /** A process that had claimed the row ended in the middle. */
  wasInterrupted: boolean;
}

/** `recheckAt`: when to look again; `null` leaves an earlier time as it is, unless this was that look. */
export type ClaimOutcome = { known: KnownRecord; recheckAt: Date | null } & (
  | { kind: "done"; held: HeldReason | null }
  /** The provider has the alias no more. */
  | { kind: "gone" }
  | { kind: "failed"; problem: ProviderProblem; notBefore: Date }
);

export interface UnfinishedAlias {
  aliasId: string;
  state: "waiting" | "failed" | "held";
  problem: ProviderProblem | null;
  held: HeldReason | null;
  nextTryAt: Date | null;
}

export interface Unfinished {
  counts: Readonly<Record<UnfinishedAlias["state"], number>>;
  aliases: readonly UnfinishedAlias[];
}

/** Rows are added and made due in the transactions that change aliases, mailboxes and SMTP credentials. */
export interface ProviderAliasStore {
  /** Claims due rows, in turns between accounts; one alias is in one hand at a time. @param leaseMs milliseconds */
  claim(options: { most: number; leaseMs: number }): Promise<ClaimedAlias[]>;
  /** Writes before the first call what it is for, so that a lost response can be asked about. */
  note(claimed: ClaimedAlias, known: KnownRecord): Promise<boolean>;
  /** Does nothing when the lease was lost. */
  settle(claimed: ClaimedAlias, outcome: ClaimOutcome): Promise<void>;
  /** Lets a claim go untried, e.g. at shutdown. */
  release(claimed: ClaimedAlias): Promise<void>;
  unfinished(userId: string): Promise<Unfinished>;
  /** Why the copy is off, as the provider confirmed it last; also while a further change waits. */
  heldOf(userId: string, aliasId: string): Promise<HeldReason | null>;
  /** Makes an unfinished alias due now. @returns false for another user's alias, and without anything to do */
  tryNow(userId: string, aliasId: string): Promise<boolean>;
  /** Makes all aliases due, up to `most` per call, in the order of their ids. @returns id of the last one; `null`: all done */
  wantAll(after: string | null, most: number): Promise<string | null>;
  figures(): Promise<ProviderFigures>;
  /** Aliases that were made while our own engine ran: the provider gets them by `wantAll`. Reads all aliases. */
  countUnpushed(): Promise<number>;
  /** What we know of the provider's copies of these aliases; none for one that the provider never had to have. */
  knownOf(aliasIds: readonly string[]): Promise<Map<string, KnownAlias>>;
  /** Takes a copy that exists there already as this alias' own, and makes it due once, to get our mark. */
  adopt(aliasId: string, known: KnownRecord): Promise<void>;
}

export interface KnownAlias extends KnownRecord {
  userId: string;
  /** False while a change waits, so that a difference is no surprise. */
  isInStep: boolean;
}

/** Aliases of the whole server, for metrics and the doctor. */
export interface ProviderFigures {
  /** Not there yet and not failed. */
  waiting: number;
  failed: number;
  held: number;
  /** When the oldest change that is not there yet was made; `null`: none waits. */
  oldestWaitingAt: Date | null;
}
