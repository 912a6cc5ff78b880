/** What an account and a mailbox it forwards to have to do with each other: asked, confirmed, refused. */
import type { ConfirmationChoice, ConfirmationState } from "@kauke/contract";

/** A pair that has a row: something was forwarded, or its confirmation asked for. */
export type KnownState = Exclude<ConfirmationState, "new">;

export interface Pair {
  userId: string;
  /** Any spelling of the mailbox. */
  address: string;
}

export interface ConfirmationSettings {
  /** Where the links lead, e.g. `https://kauke.test`. */
  origin: string;
  /** Our first domain: who asks. */
  domain: string;
}

export interface AskWish extends Pair {
  /** Id of the row, should there be none. */
  id: string;
  tokenHash: Buffer;
  tokenExpiresAt: Date;
  /** The owner pressed the button; else the first forward asks. */
  isByOwner: boolean;
}

/** `ask`: noted, and the link works from now on: send the message. */
export type AskDecision =
  | { kind: "ask" }
  | { kind: "known"; state: KnownState }
  /** The account has as many unconfirmed mailboxes as it may. */
  | { kind: "too_many" }
  /** @param nextAt `null`: never again */
  | { kind: "too_soon"; nextAt: Date | null };

export interface Answered {
  state: KnownState;
  /** Accounts that may forward to the mailbox no more since this answer, and an alias' spelling of it where there is one. */
  ended: readonly { userId: string; address: string | null }[];
}

/** Every change of a state drops the cached routes of its account, on every process. */
export interface DestinationStore {
  /** Two queries; the mailbox of a confirmed e-mail counts as confirmed. @returns the state of each address as given */
  states(userId: string, addresses: readonly string[]): Promise<Map<string, ConfirmationState>>;
  /** Whether the reader of any of them wants nothing from this server. */
  isAnyBlocked(addresses: readonly string[]): Promise<boolean>;
  /** Decides by `decideAsk` under the account's lock, and commits row and link together. */
  ask(wish: AskWish): Promise<AskDecision>;
  /** The message that `ask` promised could not be queued. */
  takeBackAsk(wish: AskWish): Promise<void>;
  /** @returns `null` for a link that is unknown or whose time is over */
  stateOfLink(tokenHash: Buffer): Promise<KnownState | null>;
  answerLink(tokenHash: Buffer, choice: ConfirmationChoice): Promise<Answered | null>;
}
