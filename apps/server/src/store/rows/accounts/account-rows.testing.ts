/** Creates an account with a row in every table that can hold data of an account, and says what can be read in each. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { aliasAddress } from "../../../core/alias/alias.ts";
import type { DB } from "../../database.ts";
import { anAlias, aUser } from "../../rows.testing.ts";
import type { StoreContext } from "../../store-context.ts";
import { documentOfNew } from "../aliases/alias-document.ts";
import { listedMailboxIndex, mailboxIndex, missingMailboxIndex } from "../mailboxes/mailboxes.ts";
import { rateLimitSubject } from "../rate-limits.ts";
import { formerUserIndex } from "./released-addresses.ts";

/** Tables of the server that hold no data of any account. */
export const serverTables: readonly (keyof DB)[] = [
  "invitation",
  "certificate_record",
  "operator_act",
  "mail_probe",
  "counter",
  "server_key",
  "schema_migration",
];

export interface PlantedAccount {
  userId: string;
  email: string;
  aliasId: string;
  address: string;
  mailbox: string;
  messageId: string;
  importId: string;
  domainId: string;
  planted: readonly (keyof DB)[];
}

/**
 * Creates an account with one row in each table that can hold its data. Every free text of a row is
 * `planted <table>`, so that tests can search for it.
 * @param without tables that get no row
 */
export async function plantAccount(
  context: StoreContext,
  { without = [] }: { without?: readonly (keyof DB)[] } = {},
): Promise<PlantedAccount> {
  const { db, keys, clock } = context;
  const now = clock.now();
  const user = aUser();
  const mailbox = `ann.${randomUUID()}@example.org`;
  const destinations = [{ kind: "mailbox" as const, address: mailbox }];
  const madeByMail = { organisation: "planted-organisation.example", at: now };
  const alias = anAlias(user.id, { routing: { state: "active", destinations }, madeByMail });
  const ids = {
    job: randomUUID(),
    message: randomUUID(),
    delivery: randomUUID(),
    pair: randomUUID(),
    import: randomUUID(),
  };
  const of = { id: randomUUID(), user_id: user.id, created_at: now };
  const domain = `${user.id}.example`;
  const text = (table: string) => `planted ${table}`;
  const hash = (table: string) => createHash("sha256").update(`${user.id}${table}`).digest();
  const bounceToken = hash("bounce_sender").subarray(0, 9);
  const { email, walletAddress, googleId, passwordHash, profileImageUrl } = user;
  const person = { email, walletAddress, googleId, passwordHash, profileImageUrl };
  const tokenHash = hash("one_time_token");
  const limit = { count: 1, window_start: now, last_action: now };
  const rows: { [Table in keyof DB]?: () => Promise<unknown> } = {
    user: () =>
      insert("user", {
        id: user.id,
        auth_method: "email",
        created_at: now,
        updated_at: now,
        email_index: keys.blindIndex("user.email", String(user.email)),
        wallet_index: null,
        google_index: null,
        sealed: keys.seal("user", user.id, {
          ...person,
          firstName: text("user"),
          lastName: null,
          draftKey: "draft key of the account",
        }),
      }),
    session: () =>
      insert("session", {
        ...of,
        token_hash: hash("session"),
        last_seen_at: now,
        sealed: keys.seal("session", of.id, { device: text("session") }),
      }),
    api_key: () =>
      insert("api_key", {
        ...of,
        key_hash: hash("api_key"),
        scopes: "aliases:create aliases:read",
        expires_at: null,
        last_used_on: "2026-02-28",
        sealed: keys.seal("api_key", of.id, { name: text("api_key") }),
      }),
    account_domain: () =>
      insert("account_domain", {
        ...of,
        domain_index: hash("account_domain"),
        state: "proven",
        proven_at: now,
        unanswered_checks: 0,
        sealed: keys.seal("account_domain", of.id, {
          domain,
          token: text("account_domain"),
          seen: [],
          appearing: { appear: "prefixes", prefixes: ["planted-prefix."], neverNames: ["planted-never"] },
        }),
      }),
    account_domain_key: () =>
      insert("account_domain_key", {
        id: of.id,
        domain_id: of.id,
        selector: "kauke1",
        state: "signs",
        created_at: now,
        sealed: keys.seal("account_domain_key", of.id, {
          privateKey: "a private key",
          text: text("account_domain_key"),
        }),
      }),
    account_domain_certificate: () =>
      insert("account_domain_certificate", {
        id: of.id,
        user_id: of.user_id,
        state: "served",
        due_at: now,
        leased_until: null,
        sealed: keys.seal("account_domain_certificate", of.id, { certificate: { key: "a private key" } }),
      }),
    alias: () =>
      insert("alias", {
        id: alias.id,
        user_id: user.id,
        active: true,
        created_at: now,
        address_index: keys.blindIndex("alias.address", aliasAddress(alias.name, alias.domain)),
        sealed: keys.seal("alias", alias.id, documentOfNew({ ...alias, notes: text("alias") }, randomBytes)),
        domain_id: without.includes("account_domain") ? null : of.id,
      }),
    destination: () =>
      insert("destination", {
        ...of,
        id: ids.pair,
        mailbox_index: mailboxIndex(keys, mailbox),
        state: "asked",
        confirmed_at: null,
        sealed: keys.seal("destination", ids.pair, { askedAt: [now.toISOString()] }),
      }),
    mailbox: () =>
      insert("mailbox", {
        ...of,
        mailbox_index: listedMailboxIndex(keys, mailbox),
        added: true,
        sealed: keys.seal("mailbox", of.id, { address: text("mailbox") }),
      }),
    missing_mailbox: () =>
      insert("missing_mailbox", {
        user_id: user.id,
        mailbox_index: missingMailboxIndex(keys, mailbox),
        first_at: now,
        last_at: now,
        refusals: 1,
        last_message_id: ids.message,
        suspended_at: null,
      }),
    client_number_last: () => insert("client_number_last", { user_id: user.id, kind: "alias", last: 1 }),
    alias_number: () => insert("alias_number", { alias_id: alias.id, user_id: user.id, number: 1 }),
    mailbox_number: () => insert("mailbox_number", { mailbox_id: of.id, user_id: user.id, number: 1 }),
    smtp_credential: () =>
      insert("smtp_credential", {
        ...of,
        alias_id: alias.id,
        username_index: hash("smtp_credential"),
        last_used_on: "2026-02-28",
        updated_at: now,
        sealed: keys.seal("smtp_credential", of.id, { password: text("smtp_credential") }),
      }),
    alias_import: () =>
      insert("alias_import", {
        ...of,
        id: ids.import,
        state: "planned",
        row_count: 1,
        changed_at: now,
        leased_by: null,
        leased_until: null,
        sealed: keys.seal("alias_import", ids.import, { remarks: [text("alias_import")] }),
      }),
    alias_import_batch: () =>
      insert("alias_import_batch", {
        id: of.id,
        import_id: ids.import,
        batch_index: 0,
        is_open: false,
        sealed: keys.seal("alias_import_batch", of.id, { rows: [{ notes: text("alias_import_batch") }] }),
      }),
    encryption_key: () =>
      insert("encryption_key", {
        ...of,
        sealed: keys.seal("encryption_key", of.id, {
          keyName: text("encryption_key"),
          publicKey: "age1…",
          encryptedPrivateKey: "wrapped",
        }),
      }),
    label: () => insert("label", { ...of, sealed: keys.seal("label", of.id, { name: text("label"), colour: "teal" }) }),
    email_job: () =>
      insert("email_job", {
        ...of,
        id: ids.job,
        alias_id: alias.id,
        scheduled_at: now,
        processed_at: null,
        cancelled_at: null,
        updated_at: now,
        sealed: keys.seal("email_job", ids.job, {
          messageId: "<a@b>",
          lastFailure: null,
          content: { recipient: mailbox, subject: text("email_job") },
        }),
      }),
    contact: () =>
      insert("contact", {
        id: of.id,
        user_id: user.id,
        address_index: hash("contact"),
        last_used_at: now,
        sealed: keys.seal("contact", of.id, { address: text("contact"), publicKey: null }),
      }),
    email_attachment: () => insert("email_attachment", { ...of, size_bytes: 7 }),
    message: () =>
      insert("message", {
        id: ids.message,
        email_job_id: ids.job,
        size_bytes: 7,
        created_at: now,
        sealed: keys.seal("message", ids.message, { envelopeFrom: text("message"), receivedAt: now.toISOString() }),
      }),
    message_chunk: () =>
      insert("message_chunk", {
        message_id: ids.message,
        chunk_index: 0,
        is_last: true,
        created_at: now,
        sealed: keys.sealBytes(`message_chunk:sealed:${ids.message}:0:last`, Buffer.from("planted")),
      }),
    delivery: () =>
      insert("delivery", {
        ...of,
        id: ids.delivery,
        message_id: ids.message,
        alias_id: alias.id,
        state: "open",
        not_before: now,
        lease_token: null,
        leased_until: null,
        last_failure: null,
        sealed: keys.seal("delivery", ids.delivery, {
          destination: { kind: "mailbox", address: mailbox },
          aliasAddress: text("delivery"),
        }),
      }),
    reply_path: () =>
      insert("reply_path", { id: hash("reply_path"), alias_id: alias.id, created_at: now, sealed: randomBytes(40) }),
    bounce_sender: () =>
      insert("bounce_sender", {
        token: bounceToken,
        alias_id: alias.id,
        expires_on: "2100-01-01",
        sealed: keys.seal("bounce_sender", bounceToken.toString("hex"), { sender: text("bounce_sender") }),
      }),
    one_time_token: () =>
      insert("one_time_token", {
        token_hash: tokenHash,
        kind: "confirm",
        user_id: user.id,
        created_at: now,
        expires_at: new Date(now.getTime() + 60_000),
        sealed: keys.seal("one_time_token", tokenHash.toString("hex"), { destinationId: ids.pair }),
      }),
    notice: () =>
      insert("notice", {
        ...of,
        alias_id: alias.id,
        kind: "delivery_failed",
        sealed: keys.seal("notice", of.id, { text: text("notice") }),
      }),
    sent_answer: () => insert("sent_answer", { mark: hash("sent_answer"), user_id: user.id, ends_at: of.created_at }),
    checklist: () =>
      insert("checklist", {
        id: of.id,
        user_id: user.id,
        position: 0,
        sealed: keys.seal("checklist", of.id, {
          next: 1,
          rows: [{ number: 0, site: text("checklist"), oldAddress: mailbox, aliasId: alias.id, done: false }],
        }),
      }),
    provider_alias: () =>
      insert("provider_alias", {
        alias_id: alias.id,
        user_id: user.id,
        waiting_since: now,
        due_at: now,
        sealed: keys.seal("provider_alias", alias.id, {
          providerId: text("provider_alias"),
          address: aliasAddress(alias.name, alias.domain),
          mark: "digest",
          passwordMark: null,
        }),
      }),
    rate_limit: () =>
      insert("rate_limit", {
        ...limit,
        id: of.id,
        action_type: "alias_create",
        subject_index: rateLimitSubject(keys, { userId: user.id }),
      }),
    released_address: () =>
      insert("released_address", {
        address_index: hash("released_address"),
        former_user_index: formerUserIndex(keys, user.id),
        until: new Date(now.getTime() + 86_400_000),
      }),
    blocked_mailbox: () => insert("blocked_mailbox", { mailbox_index: mailboxIndex(keys, mailbox), created_at: now }),
  };
  for (const table of without) delete rows[table];
  for (const plant of Object.values(rows)) await plant();
  return {
    userId: user.id,
    email: String(user.email),
    aliasId: alias.id,
    mailbox,
    messageId: ids.message,
    importId: ids.import,
    domainId: of.id,
    address: aliasAddress(alias.name, alias.domain),
    planted: Object.keys(rows) as (keyof DB)[],
  };

  function insert<Table extends keyof DB>(table: Table, row: Partial<Record<keyof DB[Table], unknown>>) {
    return db
      .insertInto(table)
      .values(row as never)
      .execute();
  }
}
