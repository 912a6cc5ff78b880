/** State of confirmation between an account and a mailbox it forwards to: asked, confirmed, refused, blocked. */
import type { ConfirmationChoice, ConfirmationState } from "@kauke/contract";

/**
 * State of a pair of account and mailbox that has a row. The row is made when mail is first forwarded, when
 * confirmation is requested, or when the account confirms this mailbox as its e-mail.
 */
export type KnownState = Exclude<ConfirmationState, "new">;

export interface Pair {
  userId: string;
  /** Mailbox address in any spelling. */
  address: string;
}

export interface ConfirmationSettings {
  /** Base URL of the confirmation links, e.g. `https://kauke.test`. */
  origin: string;
  /** Our first domain, which is the domain of the confirmation message's From address. */
  domain: string;
}

export interface AskInput extends Pair {
  /** Id of the row to insert if the pair of account and mailbox has no row yet. */
  id: string;
  tokenHash: Buffer;
  tokenExpiresAt: Date;
  /**
   * True if the owner requested the confirmation message; false if it is sent because mail is forwarded for the first
   * time.
   */
  isByOwner: boolean;
}

/** `ask`: the state was stored and the link is valid; the caller sends the message. */
export type AskDecision =
  | { kind: "ask" }
  | { kind: "known"; state: KnownState }
  /** The account has as many unconfirmed mailboxes as it may have. */
  | { kind: "too_many" }
  /** The mailbox was asked for confirmation before. It may be asked again at `nextAt`, or never if that is `null`. */
  | { kind: "too_soon"; nextAt: Date | null };

/** What is known about a valid answer link. */
export interface AskedLink {
  state: KnownState;
  /** Account that forwards to the mailbox. */
  userId: string;
  /** Address that the confirmation message was sent to; `null` for links from before this was stored. */
  address: string | null;
}

export interface Answered {
  state: KnownState;
  /**
   * Accounts that may no longer forward to the mailbox, each with the address as an alias spells it, if an alias has
   * it.
   */
  ended: readonly { userId: string; address: string | null }[];
}

/** Every change of a state drops the account's cached routes in every process. */
export interface DestinationStore {
  /**
   * Confirmation state of each mailbox, by address as given; read in two queries. A mailbox that is a confirmed e-mail
   * of the account counts as confirmed.
   */
  states(userId: string, addresses: readonly string[]): Promise<Map<string, ConfirmationState>>;
  /** Whether the reader of any of the mailboxes has blocked mail from this server. */
  isAnyBlocked(addresses: readonly string[]): Promise<boolean>;
  /** Returns those of the given mailboxes whose reader has blocked mail from this server. */
  blockedAmong(addresses: readonly string[]): Promise<Set<string>>;
  /**
   * Whether other people than the owner of a mailbox write from its domain: it is a public mail host, or several
   * accounts have confirmed mailboxes there or at another name below the same registered domain, since DMARC aligns them.
   * @param domain in lower case and ASCII
   */
  isSharedDomain(domain: string): Promise<boolean>;
  /**
   * Decides with `decideAsk`, under the account's lock, whether to ask the mailbox for confirmation; if so, stores
   * state and link in the same commit.
   */
  ask(input: AskInput): Promise<AskDecision>;
  /** Reverts what `ask` stored, when the confirmation message could not be enqueued. */
  takeBackAsk(input: AskInput): Promise<void>;
  /** Looks a link up without changing anything. @returns `null` for a link that is unknown or expired */
  readLink(tokenHash: Buffer): Promise<AskedLink | null>;
  answerLink(tokenHash: Buffer, choice: ConfirmationChoice): Promise<Answered | null>;
}
