import type { ConfirmationState, DefaultFormat } from "@kauke/contract";

export interface ListedMailbox {
  /** Id that stays the same as long as the mailbox is in the account's list. */
  id: string;
  address: string;
  /** State of confirmation; on a server without confirmations `confirmed`, unless the mailbox refused mail. */
  state: ConfirmationState;
  isDefault: boolean;
  /** Aliases that forward to exactly this address, paused ones included. */
  aliasCount: number;
  createdAt: Date;
}

export interface StoredMailbox extends Pick<ListedMailbox, "id" | "address" | "createdAt"> {
  isAdded: boolean;
}

export interface ListedAddress {
  address: string;
  since: Date;
}

/**
 * Addresses share a row if they differ only in letter case, Unicode form or spelling of the domain. Unlike for
 * confirmation, `ann` and `ann+shop` are two mailboxes, since an alias forwards to exactly one of them.
 */
export interface MailboxStore {
  list(userId: string): Promise<StoredMailbox[]>;
  insertMissing(userId: string, addresses: readonly ListedAddress[]): Promise<void>;
  deleteUnused(userId: string, ids: readonly string[]): Promise<void>;
  /** Marks a mailbox as added by its owner. @returns `null`, with nothing changed, at the maximum of `max` */
  add(userId: string, address: string, max: number): Promise<StoredMailbox | null>;
  delete(userId: string, id: string): Promise<boolean>;
}

/** A field is absent if it was never chosen. */
export interface ChosenDefaults {
  domain?: string;
  format?: DefaultFormat;
  siteInName?: boolean;
  mailboxId?: string;
}

export interface DefaultsChange extends Omit<ChosenDefaults, "mailboxId"> {
  mailboxId?: string | null;
}
