/**
 * Kysely types of the tables, written by hand; `schema.test.ts` compares them with the migrated schema. Both drivers
 * return bytea as Buffer, int8 as number, timestamptz as Date.
 */
import type { AuthMethod, HeldReason, ImportState, OperatorActCode, ProviderProblem } from "@kauke/contract";
import type { Generated, Kysely, Transaction } from "kysely";
import type { NoticeKind } from "../core/notice.ts";
import type { AliasNumberTable, ClientNumberLastTable, MailboxNumberTable } from "./client-number-tables.ts";
import type { ContactTable, EmailAttachmentTable, EmailJobTable } from "./composed-tables.ts";
import type { AccountDomainCertificateTable, AccountDomainKeyTable, AccountDomainTable } from "./domain-tables.ts";

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
  /** Keyed hash of the network block that the account was registered from; null if unknown. */
  registered_from_index: Generated<Buffer | null>;
  /** Id of the key that forwarded mail is encrypted to; null: mail is not encrypted. */
  seal_key_id: Generated<string | null>;
  is_admin: Generated<boolean>;
}

export interface SessionTable {
  token_hash: Buffer;
  user_id: string;
  created_at: Date;
  last_seen_at: Date;
  id: string;
  /** Description of the device; null in sessions from before devices were recorded. */
  sealed: Buffer | null;
}

export interface ApiKeyTable {
  id: string;
  user_id: string;
  key_hash: Buffer;
  scopes: string;
  expires_at: Date | null;
  /** Day of the API key's last use, e.g. `2026-03-01`. */
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
  /** True: mail of this alias is not encrypted, whatever the account's setting. */
  seal_off: Generated<boolean>;
  seal_key_id: Generated<string | null>;
  /** Set if an import made the alias and it is unused; `reclaimed` if the account had the address before. */
  fresh: Generated<"new" | "reclaimed" | null>;
  /** When the alias is deleted; null: never. The epoch: its deletion has begun and can't be undone. */
  delete_at: Generated<Date | null>;
  delete_network_index: Generated<Buffer | null>;
  delete_block_index: Generated<Buffer | null>;
  /** The account's own domain that the alias is on; null on a domain of the operator. */
  domain_id: Generated<string | null>;
}

export interface ReleasedAddressTable {
  address_index: Buffer;
  former_user_index: Buffer;
  until: Date;
  /** Keyed hash of the network that released the address; null if unknown. */
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
  /** Keyed hash of the mailbox' domain; empty for a public mail host, null in older rows. */
  domain_index: Generated<Buffer | null>;
  sealed: Buffer;
}

export interface MailboxTable {
  id: string;
  user_id: string;
  mailbox_index: Buffer;
  /** True if the owner added the mailbox; otherwise it is listed because aliases forward to it. */
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

export interface SmtpCredentialTable {
  id: string;
  alias_id: string;
  user_id: string;
  username_index: Buffer;
  active: Generated<boolean>;
  last_used_on: string | null;
  created_at: Date;
  updated_at: Date;
  sealed: Buffer;
}

export interface AliasImportTable {
  id: string;
  user_id: string;
  state: ImportState | "reading";
  row_count: number;
  created_at: Date;
  changed_at: Date;
  leased_by: string | null;
  leased_until: Date | null;
  sealed: Buffer;
}

export interface AliasImportBatchTable {
  id: string;
  import_id: string;
  batch_index: number;
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
  /** A `kept` delivery is mail for the operator, which no delivery worker claims. */
  state: "open" | "kept";
  not_before: Date;
  lease_token: string | null;
  leased_until: Date | null;
  attempts: Generated<number>;
  /** Last failure: `FailureCode` and enhanced status, e.g. `mailbox_full 5.2.2`. */
  last_failure: string | null;
  created_at: Date;
  sealed: Buffer;
  /** Deliveries with a higher priority are claimed first. */
  priority: Generated<number>;
  /** Keyed hash of the network that sent mail to the operator (`anonymous-tokens.ts`); null for other mail. */
  network_index: Generated<Buffer | null>;
  block_index: Generated<Buffer | null>;
  /** Whether another destination of the alias accepted the message. */
  taken_beside: Generated<boolean>;
  /** The operator took it out of the queue: the delivery worker ends it as failed, without another attempt. */
  dropped: Generated<boolean>;
  /** Place of the recipient among those of a composed message; null for other mail. */
  job_place: Generated<number | null>;
  /** Composed mail only: an attempt runs, was cut off, or was handed over to a provider. */
  is_sending: Generated<boolean>;
}

export interface ReplyPathTable {
  id: Buffer;
  alias_id: string;
  created_at: Date;
  sealed: Buffer;
}

export interface BounceSenderTable {
  token: Buffer;
  alias_id: string;
  /** Day (UTC, e.g. `2026-11-27`) from which the row may be deleted. */
  expires_on: string;
  sealed: Buffer;
}

export interface CertificateRecordTable {
  id: string;
  kind: string;
  name: string;
  expires_at: Date | null;
  sealed: Buffer;
}

export interface SentAnswerTable {
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
  /** Keyed hash of the network that requested the token (`anonymous-tokens.ts`); null where the kind needs none. */
  network_index: Generated<Buffer | null>;
  block_index: Generated<Buffer | null>;
}

export interface InvitationTable {
  id: string;
  token_index: Buffer;
  created_at: Date;
  expires_at: Date;
  /** The address that it is bound to. */
  sealed: Buffer;
}

export interface OperatorActTable {
  id: string;
  at: Date;
  /** `command`, or the id of an admin's account, which may be deleted since. */
  by: string;
  act: OperatorActCode;
  sealed: Buffer;
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

export interface MailProbeTable {
  id: string;
  address_index: Buffer;
  created_at: Date;
  expires_at: Date;
  messages: number;
  sealed: Buffer;
}

export interface ProviderAliasTable {
  alias_id: string;
  user_id: string;
  wanted: Generated<number>;
  done: Generated<number>;
  waiting_since: Date;
  due_at: Date | null;
  tries: Generated<number>;
  recheck_at: Date | null;
  lease: string | null;
  leased_until: Date | null;
  problem: ProviderProblem | null;
  held: HeldReason | null;
  sealed: Buffer | null;
}

export interface ChecklistTable {
  id: string;
  user_id: string;
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
  account_domain: AccountDomainTable;
  account_domain_key: AccountDomainKeyTable;
  account_domain_certificate: AccountDomainCertificateTable;
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
  email_attachment: EmailAttachmentTable;
  contact: ContactTable;
  message: MessageTable;
  message_chunk: MessageChunkTable;
  delivery: DeliveryTable;
  reply_path: ReplyPathTable;
  bounce_sender: BounceSenderTable;
  certificate_record: CertificateRecordTable;
  mail_probe: MailProbeTable;
  provider_alias: ProviderAliasTable;
  sent_answer: SentAnswerTable;
  one_time_token: OneTimeTokenTable;
  invitation: InvitationTable;
  operator_act: OperatorActTable;
  notice: NoticeTable;
  checklist: ChecklistTable;
  counter: CounterTable;
  rate_limit: RateLimitTable;
  server_key: ServerKeyTable;
  schema_migration: SchemaMigrationTable;
}

export type Database = Kysely<DB>;
/** A function that takes an InTransaction never opens a transaction itself. */
export type InTransaction = Transaction<DB>;
