/** Mailboxes of an account: those its aliases forward to, those its owner added, and the account's own e-mail. */
import type { ConfirmationState, DefaultFormat } from "@kauke/contract";

export interface Mailbox {
  /** Id of the mailbox, stable as long as the mailbox is in the account's list. */
  id: string;
  /** Mailbox address in the spelling in which it was first used. */
  address: string;
  /**
   * State of confirmation. On a server that asks for no confirmations it is `confirmed`, unless the mailbox refused
   * mail.
   */
  state: ConfirmationState;
  isDefault: boolean;
  /** Number of aliases that forward to exactly this address, paused ones included. */
  aliasCount: number;
  createdAt: Date;
}

/** Database row of a mailbox in the account's list. */
export interface StoredMailbox extends Pick<Mailbox, "id" | "address" | "createdAt"> {
  /** Whether the owner added the mailbox, so that it stays in the list while no alias forwards to it. */
  isAdded: boolean;
}

/** A mailbox that belongs in the account's list, and since when. */
export interface ListedAddress {
  address: string;
  since: Date;
}

/**
 * Repository of the mailboxes in accounts' lists. Addresses share a row if they differ only in letter case, Unicode
 * form or spelling of the domain. Unlike for confirmation, `ann` and `ann+shop` are two mailboxes, since an alias
 * forwards to exactly one of them.
 */
export interface MailboxStore {
  /** Mailboxes of the account, oldest first. */
  list(userId: string): Promise<StoredMailbox[]>;
  /** Inserts rows for the addresses that have none, many per statement. */
  insertMissing(userId: string, addresses: readonly ListedAddress[]): Promise<void>;
  /** Deletes mailboxes from the list, except those that the owner has added meanwhile. */
  deleteUnused(userId: string, ids: readonly string[]): Promise<void>;
  /**
   * Marks a mailbox as added by its owner, and inserts its row if it has none.
   * @returns `null`, with nothing changed, when the account already has `max` added mailboxes besides this one
   */
  add(userId: string, address: string, max: number): Promise<StoredMailbox | null>;
  /**
   * Deletes a mailbox from the list.
   * @returns false when the account's list has no mailbox with this id
   */
  delete(userId: string, id: string): Promise<boolean>;
}

/** Defaults for new aliases that the owner has chosen; a field is absent if it was never chosen. */
export interface ChosenDefaults {
  domain?: string;
  format?: DefaultFormat;
  siteInName?: boolean;
  mailboxId?: string;
}

/** A change of `ChosenDefaults`; a mailbox id of `null` removes the choice of a mailbox. */
export interface DefaultsChange extends Omit<ChosenDefaults, "mailboxId"> {
  mailboxId?: string | null;
}
