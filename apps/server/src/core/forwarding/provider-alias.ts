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
  /** Makes an unfinished alias due now. @returns false for another user's alias, and without anything to do */
  tryNow(userId: string, aliasId: string): Promise<boolean>;
  /** Makes all aliases due, up to `most` per call, in the order of their ids. @returns id of the last one; `null`: all done */
  wantAll(after: string | null, most: number): Promise<string | null>;
  /** Rows that are due or will be, for metrics. */
  countWaiting(): Promise<number>;
}
