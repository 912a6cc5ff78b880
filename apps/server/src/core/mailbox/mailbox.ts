import type { ConfirmationState, DefaultFormat } from "@kauke/contract";

export interface ListedMailbox {
  /** Stays the same while the mailbox is in the account's list. */
  id: string;
  address: string;
  /** Without confirmations `confirmed`, unless the mailbox refused mail. */
  state: ConfirmationState;
  isDefault: boolean;
  /** Aliases that forward to exactly this address, also paused ones. */
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

/** Rows by `exactMailbox`: unlike for confirmation, `ann` and `ann+shop` are two mailboxes. */
export interface MailboxStore {
  list(userId: string): Promise<StoredMailbox[]>;
  insertMissing(userId: string, addresses: readonly ListedAddress[]): Promise<void>;
  deleteUnused(userId: string, ids: readonly string[]): Promise<void>;
  /** Marks a mailbox as added by its owner. @returns `null`, changing nothing, at `max` added ones */
  add(userId: string, address: string, max: number): Promise<StoredMailbox | null>;
  delete(userId: string, id: string): Promise<boolean>;
}

export interface ChosenDefaults {
  domain?: string;
  format?: DefaultFormat;
  siteInName?: boolean;
  mailboxId?: string;
}

export interface DefaultsChange extends Omit<ChosenDefaults, "mailboxId"> {
  mailboxId?: string | null;
}
