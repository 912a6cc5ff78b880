/** How a move reads each table, in the order of the foreign keys. The type `DB` makes the list complete. */
import type { DB } from "../database.ts";

type KeyType = "uuid" | "bytea" | "text" | "integer";

export interface MovedTable {
  name: keyof DB;
  /** Columns of the primary key, in its order. */
  key: Readonly<Record<string, KeyType>>;
  /** Rows of one page, which is one commit. */
  pageRows: number;
  /** A column that refers to a later table, filled in after that table was copied. */
  filledLater?: string;
}

/** `null`: not copied as rows. Migrations make `schema_migration`; bodies may be files on one side. */
type Plan = Omit<MovedTable, "name"> | null;

const byId = { id: "uuid" } as const;
const small = { key: byId, pageRows: 500 };
/** A sealed document of these tables may have a hundred KiB or more. */
const large = { key: byId, pageRows: 20 };
const hashed = (column: string): Plan => ({ key: { [column]: "bytea" }, pageRows: 500 });

const plans: { readonly [Table in keyof DB]: Plan } = {
  server_key: { key: { id: "integer" }, pageRows: 500 },
  user: { ...small, filledLater: "seal_key_id" },
  encryption_key: { ...large },
  session: hashed("token_hash"),
  api_key: small,
  account_domain: small,
  account_domain_key: small,
  account_domain_certificate: { ...large },
  alias: small,
  released_address: hashed("address_index"),
  destination: small,
  blocked_mailbox: hashed("mailbox_index"),
  missing_mailbox: { key: { user_id: "uuid", mailbox_index: "bytea" }, pageRows: 500 },
  mailbox: small,
  client_number_last: { key: { user_id: "uuid", kind: "text" }, pageRows: 500 },
  alias_number: { key: { alias_id: "uuid" }, pageRows: 500 },
  mailbox_number: { key: { mailbox_id: "uuid" }, pageRows: 500 },
  smtp_credential: small,
  label: small,
  alias_import: large,
  alias_import_batch: large,
  email_job: large,
  contact: small,
  message: { ...small, pageRows: 100 },
  message_chunk: null,
  email_attachment: small,
  delivery: { ...small, pageRows: 200 },
  reply_path: hashed("id"),
  bounce_sender: hashed("token"),
  invitation: small,
  operator_act: small,
  certificate_record: large,
  mail_probe: small,
  provider_alias: { key: { alias_id: "uuid" }, pageRows: 500 },
  sent_answer: hashed("mark"),
  one_time_token: hashed("token_hash"),
  notice: small,
  checklist: large,
  counter: { key: { name: "text" }, pageRows: 500 },
  rate_limit: small,
  schema_migration: null,
};

export const tableNames = Object.keys(plans) as (keyof DB)[];

export const movedTables: readonly MovedTable[] = tableNames.flatMap((name) => {
  const plan = plans[name];
  return plan === null ? [] : [{ name, ...plan }];
});
