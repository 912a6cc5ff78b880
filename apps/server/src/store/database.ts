/**
 * Kysely types of the tables, written by hand; `schema.test.ts` compares them with the migrated schema. Both drivers
 * return the same values: bytea as a Buffer, int8 as a number, timestamptz as a Date (`postgres.ts`,
 * `embedded-database.ts`).
 */
import type { AuthMethod, ImportState } from "@kauke/contract";
import type { Generated, Kysely, Transaction } from "kysely";
import type { ClientNumberKind } from "../core/client-number.ts";
import type { NoticeKind } from "../core/notice.ts";

export interface UserTable {
  id: string;
  auth_method: AuthMethod;
  balance_cents: Generated<number>;
  created_at: Date;
  updated_at: Date;
  email_index: Buffer | null;
  wallet_index: Buffer | null;
  google_index: Buffer | null;
  sealed: Buffer;
  /** Keyed hash of the block of addresses that the account was registered from; null if that is unknown. */
  registered_from_index: Generated<Buffer | null>;
  /** Id of the key that forwarded mail is encrypted to; null if it is not encrypted. */
  seal_key_id: Generated<string | null>;
}

export interface SessionTable {
  token_hash: Buffer;
  user_id: string;
  created_at: Date;
  last_seen_at: Date;
  id: string;
  /** Sealed document with the session's device; null if the session was made before sessions recorded a device. */
  sealed: Buffer | null;
}

export interface ApiKeyTable {
  id: string;
  user_id: string;
  /** SHA-256 of the API key. */
  key_hash: Buffer;
  /** Scopes of the API key, separated by spaces. */
  scopes: string;
  expires_at: Date | null;
  /** Day on which the API key was last used, e.g. `2026-03-01`. */
  last_used_on: string | null;
  created_at: Date;
  sealed: Buffer;
}

export interface AliasTable {
  id: string;
  user_id: string;
  active: boolean;
  created_at: Date;
  address_index: Buffer;
  sealed: Buffer;
  /** True if forwarded mail of this alias is not encrypted, whatever the account's setting. */
  seal_off: Generated<boolean>;
  /**
   * Id of the key that forwarded mail of this alias is encrypted to. If it is null and `seal_off` is false, the setting
   * of the account applies.
   */
  seal_key_id: Generated<string | null>;
  /**
   * Of an alias that an import made and nobody has used since: `reclaimed` if the account had the address before,
   * otherwise `new`. Null for every other alias.
   */
  fresh: Generated<"new" | "reclaimed" | null>;
}

export interface ReleasedAddressTable {
  address_index: Buffer;
  former_user_index: Buffer;
  until: Date;
  /** Network and block from which the address was released, as keyed hashes; null if unknown. */
  network_index: Generated<Buffer | null>;
  block_index: Generated<Buffer | null>;
}

export interface DestinationTable {
  id: string;
  user_id: string;
  mailbox_index: Buffer;
  state: "asked" | "confirmed" | "refused" | "blocked";
  created_at: Date;
  confirmed_at: Date | null;
  /** Keyed hash of the mailbox' domain; empty for a public mail host, null in rows from before this column. */
  domain_index: Generated<Buffer | null>;
  sealed: Buffer;
}

export interface MailboxTable {
  id: string;
  user_id: string;
  mailbox_index: Buffer;
  /** Whether the owner added the mailbox to the list. Otherwise it is listed because aliases forward to it. */
  added: boolean;
  created_at: Date;
  sealed: Buffer;
}

export interface MissingMailboxTable {
  user_id: string;
  mailbox_index: Buffer;
  first_at: Date;
  last_at: Date;
  refusals: number;
  last_message_id: string;
  suspended_at: Date | null;
}

export interface BlockedMailboxTable {
  mailbox_index: Buffer;
  created_at: Date;
}

export interface ClientNumberLastTable {
  user_id: string;
  kind: ClientNumberKind;
  /** Last client number that was assigned; 0 if none was. */
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

export interface SmtpCredentialTable {
  id: string;
  alias_id: string;
  user_id: string;
  username_index: Buffer;
  active: Generated<boolean>;
  created_at: Date;
  updated_at: Date;
  sealed: Buffer;
}

export interface AliasImportTable {
  id: string;
  user_id: string;
  /** State of the import; `reading` while its rows are still being stored. */
  state: ImportState | "reading";
  row_count: number;
  created_at: Date;
  /** Time of the import's last change of state. */
  changed_at: Date;
  /** Process that works on a running import, until `leased_until`. */
  leased_by: string | null;
  leased_until: Date | null;
  sealed: Buffer;
}

export interface AliasImportBatchTable {
  id: string;
  import_id: string;
  /** Position of the batch in the import, from 0. */
  batch_index: number;
  /** Whether the import's run, or its undo, still has to handle the batch. */
  is_open: boolean;
  sealed: Buffer;
}

export interface EncryptionKeyTable {
  id: string;
  user_id: string;
  is_default: Generated<boolean>;
  created_at: Date;
  sealed: Buffer;
}

export interface LabelTable {
  id: string;
  user_id: string;
  created_at: Date;
  sealed: Buffer;
}

export interface EmailJobTable {
  id: string;
  user_id: string;
  alias_id: string | null;
  use_encryption: Generated<boolean>;
  status: Generated<string>;
  priority: Generated<number>;
  max_retries: Generated<number>;
  current_retries: Generated<number>;
  scheduled_at: Date;
  processed_at: Date | null;
  cancelled_at: Date | null;
  created_at: Date;
  updated_at: Date;
  sealed: Buffer;
}

export interface MessageTable {
  id: string;
  email_job_id: string | null;
  size_bytes: number;
  created_at: Date;
  sealed: Buffer;
}

export interface MessageChunkTable {
  message_id: string;
  chunk_index: number;
  is_last: boolean;
  created_at: Date;
  sealed: Buffer;
}

export interface DeliveryTable {
  id: string;
  message_id: string;
  alias_id: string | null;
  user_id: string | null;
  /** State of a delivery. `kept` marks mail for the operator to read, which the delivery worker never claims. */
  state: "open" | "kept";
  not_before: Date;
  lease_token: string | null;
  leased_until: Date | null;
  attempts: Generated<number>;
  /** Last failure of the delivery as `FailureCode` and enhanced status code, e.g. `mailbox_full 5.2.2`. */
  last_failure: string | null;
  created_at: Date;
  sealed: Buffer;
  /** Deliveries with a higher value are claimed first; 0 by default. */
  priority: Generated<number>;
  /**
   * Keyed hashes of the network and address block that a message kept for the operator came from
   * (`anonymous-tokens.ts`); null for other mail, and for rows older than these columns.
   */
  network_index: Generated<Buffer | null>;
  block_index: Generated<Buffer | null>;
  /** Whether another destination of the delivery's alias took the message. */
  taken_beside: Generated<boolean>;
}

export interface ReplyPathTable {
  id: Buffer;
  alias_id: string;
  created_at: Date;
  sealed: Buffer;
}

export interface BounceSenderTable {
  /** Keyed hash of alias and sender, part of bounce addresses. */
  token: Buffer;
  alias_id: string;
  /** Day (UTC, as in `2026-11-27`) from which the row may be deleted. */
  expires_on: string;
  sealed: Buffer;
}

export interface SentAnswerTable {
  /** Keyed hash of a signature and the recipient that its message was sent to. */
  mark: Buffer;
  user_id: string;
  ends_at: Date;
}

export interface OneTimeTokenTable {
  token_hash: Buffer;
  kind: string;
  user_id: string | null;
  created_at: Date;
  expires_at: Date;
  sealed: Buffer | null;
  /**
   * Keyed hashes of the network and address block of the client that requested the token (`anonymous-tokens.ts`); null
   * if the kind does not need them, and for rows older than these columns.
   */
  network_index: Generated<Buffer | null>;
  block_index: Generated<Buffer | null>;
}

export interface NoticeTable {
  id: string;
  user_id: string;
  alias_id: string | null;
  kind: NoticeKind;
  created_at: Date;
  sealed: Buffer;
}

export interface CounterTable {
  name: string;
  value: number;
}

export interface RateLimitTable {
  id: string;
  action_type: string;
  subject_index: Buffer;
  count: Generated<number>;
  window_start: Date;
  last_action: Date;
}

export interface ChecklistTable {
  id: string;
  user_id: string;
  /** Position of the document in the account's checklist, which is stored in several documents. */
  position: number;
  sealed: Buffer;
}

export interface ServerKeyTable {
  id: number;
  purpose: string;
  created_at: Date;
  wrapped: Buffer;
}

export interface SchemaMigrationTable {
  number: number;
  name: string;
  applied_at: Date;
}

export interface DB {
  user: UserTable;
  session: SessionTable;
  api_key: ApiKeyTable;
  alias: AliasTable;
  released_address: ReleasedAddressTable;
  destination: DestinationTable;
  blocked_mailbox: BlockedMailboxTable;
  missing_mailbox: MissingMailboxTable;
  mailbox: MailboxTable;
  client_number_last: ClientNumberLastTable;
  alias_number: AliasNumberTable;
  mailbox_number: MailboxNumberTable;
  smtp_credential: SmtpCredentialTable;
  encryption_key: EncryptionKeyTable;
  label: LabelTable;
  alias_import: AliasImportTable;
  alias_import_batch: AliasImportBatchTable;
  email_job: EmailJobTable;
  message: MessageTable;
  message_chunk: MessageChunkTable;
  delivery: DeliveryTable;
  reply_path: ReplyPathTable;
  bounce_sender: BounceSenderTable;
  sent_answer: SentAnswerTable;
  one_time_token: OneTimeTokenTable;
  notice: NoticeTable;
  checklist: ChecklistTable;
  counter: CounterTable;
  rate_limit: RateLimitTable;
  server_key: ServerKeyTable;
  schema_migration: SchemaMigrationTable;
}

export type Database = Kysely<DB>;
/** Kysely's type of a transaction. A function with such a parameter never opens a transaction itself. */
export type InTransaction = Transaction<DB>;

/**
 * Whether a database error has this SQLSTATE and, if given, names this constraint. Both drivers set the same fields.
 */
export function isDatabaseError(error: unknown, sqlState: string, constraint?: string): boolean {
  if (typeof error !== "object" || error === null || !("code" in error) || error.code !== sqlState) return false;
  return constraint === undefined || ("constraint" in error && error.constraint === constraint);
}

export const UNIQUE_VIOLATION = "23505";
export const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Whether an error of a statement for several rows may concern only one of them: invalid data, a constraint, a
 * deadlock. A failure of the disk or of the connection concerns all.
 */
export function isOneRowsFault(error: unknown): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" && /^(22|23|40)...$/.test(code);
}
