/** Mailboxes of an account: those its aliases forward to, those its owner added, and the account's own e-mail. */
import type { ConfirmationState, DefaultFormat } from "@kauke/contract";

export interface Mailbox {
  /** Stable as long as the mailbox is in the account's list. */
  id: string;
  /** Mailbox address as it was first spelled. */
  address: string;
  /** State of confirmation; `confirmed` too if this server asks for no confirmations and the mailbox refused no mail. */
  state: ConfirmationState;
  isDefault: boolean;
  /** Number of aliases that forward to exactly this address, paused ones included. */
  aliasCount: number;
  createdAt: Date;
}

/** A row of the list as it is stored. */
export interface StoredMailbox extends Pick<Mailbox, "id" | "address" | "createdAt"> {
  /** Whether the owner added the mailbox, so that it stays in the list while no alias forwards to it. */
  isAdded: boolean;
}

/** A mailbox that belongs into the list, and since when. */
export interface ListedAddress {
  address: string;
  since: Date;
}

/**
 * Two addresses are the same row if they differ only in letter case, Unicode form or spelling of the domain: unlike for
 * confirmation, `ann` and `ann+shop` are two mailboxes here, since aliases forward to one or the other.
 */
export interface MailboxStore {
  /** Rows of the account, oldest first. */
  list(userId: string): Promise<StoredMailbox[]>;
  /** Inserts rows for the addresses that have none, many in one statement. */
  insertMissing(userId: string, addresses: readonly ListedAddress[]): Promise<void>;
  /** Deletes rows, except those that the owner has added meanwhile. */
  deleteUnused(userId: string, ids: readonly string[]): Promise<void>;
  /**
   * Marks the mailbox as added by its owner, and inserts its row if it has none.
   * @returns `null`, with nothing changed, when the account has added `max` others
   */
  add(userId: string, address: string, max: number): Promise<StoredMailbox | null>;
  /** @returns false when the account has no such row */
  delete(userId: string, id: string): Promise<boolean>;
}

/** What an account has chosen for new aliases; what is absent was never chosen. */
export interface ChosenDefaults {
  domain?: string;
  format?: DefaultFormat;
  siteInName?: boolean;
  mailboxId?: string;
}

/** A change of `ChosenDefaults`; `null` removes the choice of a mailbox. */
export interface DefaultsChange extends Omit<ChosenDefaults, "mailboxId"> {
  mailboxId?: string | null;
}
