/** Whole numbers by which clients name aliases and mailboxes. */
import type { ClientNumberKind } from "../core/client-number.ts";

export interface ClientNumberLastTable {
  user_id: string;
  kind: ClientNumberKind;
  last: number;
}

export interface AliasNumberTable {
  alias_id: string;
  user_id: string;
  number: number;
}

export interface MailboxNumberTable {
  mailbox_id: string;
  user_id: string;
  number: number;
}
