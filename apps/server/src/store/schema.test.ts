import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { changeSignals } from "./change-signals.ts";
import type { Database, DB } from "./database.ts";
import { openEmbedded, openInMemory } from "./embedded/embedded-database.ts";
import { runMigrations, underStartLock } from "./migrate.ts";
import { openStore } from "./open-store.ts";
import { findTestPostgres, startTestPostgres } from "./postgres/postgres.testing.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { wholeExport } from "./rows/accounts/account-export.testing.ts";
import { plantAccount } from "./rows/accounts/account-rows.testing.ts";
import { loadServerKeys } from "./sealing/server-keys.ts";

/**
 * Columns of all tables, complete because of the type `DB`; column types as information_schema names them, `?` if
 * nullable.
 */
const columns: { [Table in keyof DB]: Record<keyof DB[Table], string> } = {
  user: {
    id: "uuid",
    auth_method: "text",
    balance_cents: "bigint",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    email_index: "bytea?",
    wallet_index: "bytea?",
    google_index: "bytea?",
    sealed: "bytea",
    seal_key_id: "uuid?",
    registered_from_index: "bytea?",
    is_admin: "boolean",
  },
  session: {
    token_hash: "bytea",
    user_id: "uuid",
    created_at: "timestamptz",
    last_seen_at: "timestamptz",
    id: "uuid",
    sealed: "bytea?",
  },
  api_key: {
    id: "uuid",
    user_id: "uuid",
    key_hash: "bytea",
    scopes: "text",
    expires_at: "timestamptz?",
    last_used_on: "text?",
    created_at: "timestamptz",
    sealed: "bytea",
  },
  alias_import: {
    id: "uuid",
    user_id: "uuid",
    state: "text",
    row_count: "integer",
    created_at: "timestamptz",
    changed_at: "timestamptz",
    leased_by: "uuid?",
    leased_until: "timestamptz?",
    sealed: "bytea",
  },
  alias_import_batch: {
    id: "uuid",
    import_id: "uuid",
    batch_index: "integer",
    is_open: "boolean",
    sealed: "bytea",
  },
  alias: {
    id: "uuid",
    user_id: "uuid",
    active: "boolean",
    created_at: "timestamptz",
    address_index: "bytea",
    sealed: "bytea",
    seal_off: "boolean",
    seal_key_id: "uuid?",
    fresh: "text?",
    delete_at: "timestamptz?",
    delete_network_index: "bytea?",
    delete_block_index: "bytea?",
    domain_id: "uuid?",
  },
  account_domain: {
    id: "uuid",
    user_id: "uuid",
    domain_index: "bytea",
    state: "text",
    created_at: "timestamptz",
    proven_at: "timestamptz?",
    checked_at: "timestamptz?",
    failing_since: "timestamptz?",
    state_until: "timestamptz?",
    counted_at: "timestamptz?",
    due_at: "timestamptz?",
    leased_until: "timestamptz?",
    unanswered_checks: "integer",
    sealed: "bytea",
    ends: "text?",
  },
  account_domain_key: {
    id: "uuid",
    domain_id: "uuid",
    selector: "text",
    state: "text",
    created_at: "timestamptz",
    sealed: "bytea",
  },
  account_domain_certificate: {
    id: "uuid",
    user_id: "uuid",
    state: "text",
    due_at: "timestamptz?",
    leased_until: "timestamptz?",
    sealed: "bytea",
  },
  released_address: {
    address_index: "bytea",
    former_user_index: "bytea",
    until: "timestamptz",
    network_index: "bytea?",
    block_index: "bytea?",
  },
  certificate_record: { id: "uuid", kind: "text", name: "text", expires_at: "timestamptz?", sealed: "bytea" },
  mail_probe: {
    id: "uuid",
    address_index: "bytea",
    created_at: "timestamptz",
    expires_at: "timestamptz",
    messages: "integer",
    sealed: "bytea",
  },
  provider_alias: {
    alias_id: "uuid",
    user_id: "uuid",
    wanted: "integer",
    done: "integer",
    waiting_since: "timestamptz",
    due_at: "timestamptz?",
    tries: "integer",
    recheck_at: "timestamptz?",
    lease: "uuid?",
    leased_until: "timestamptz?",
    problem: "text?",
    held: "text?",
    sealed: "bytea?",
  },
  invitation: {
    id: "uuid",
    token_index: "bytea",
    created_at: "timestamptz",
    expires_at: "timestamptz",
    sealed: "bytea",
  },
  operator_act: { id: "uuid", at: "timestamptz", by: "text", act: "text", sealed: "bytea" },
  bounce_sender: { token: "bytea", alias_id: "uuid", expires_on: "text", sealed: "bytea" },
  sent_answer: { mark: "bytea", user_id: "uuid", ends_at: "timestamptz" },
  destination: {
    id: "uuid",
    user_id: "uuid",
    mailbox_index: "bytea",
    state: "text",
    created_at: "timestamptz",
    confirmed_at: "timestamptz?",
    domain_index: "bytea?",
    sealed: "bytea",
  },
  mailbox: {
    id: "uuid",
    user_id: "uuid",
    mailbox_index: "bytea",
    added: "boolean",
    created_at: "timestamptz",
    sealed: "bytea",
  },
  missing_mailbox: {
    user_id: "uuid",
    mailbox_index: "bytea",
    first_at: "timestamptz",
    last_at: "timestamptz",
    refusals: "integer",
    last_message_id: "uuid",
    suspended_at: "timestamptz?",
  },
  client_number_last: { user_id: "uuid", kind: "text", last: "integer" },
  alias_number: { alias_id: "uuid", user_id: "uuid", number: "integer" },
  mailbox_number: { mailbox_id: "uuid", user_id: "uuid", number: "integer" },
  blocked_mailbox: { mailbox_index: "bytea", created_at: "timestamptz" },
  smtp_credential: {
    id: "uuid",
    alias_id: "uuid",
    user_id: "uuid",
    username_index: "bytea",
    active: "boolean",
    last_used_on: "text?",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    sealed: "bytea",
  },
  encryption_key: { id: "uuid", user_id: "uuid", is_default: "boolean", created_at: "timestamptz", sealed: "bytea" },
  label: { id: "uuid", user_id: "uuid", created_at: "timestamptz", sealed: "bytea" },
  email_job: {
    id: "uuid",
    user_id: "uuid",
    alias_id: "uuid?",
    use_encryption: "boolean",
    status: "text",
    priority: "integer",

    max_retries: "integer",
    current_retries: "integer",
    scheduled_at: "timestamptz",
    processed_at: "timestamptz?",
    cancelled_at: "timestamptz?",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    sealed: "bytea",
    outcomes: "ARRAY",
  },
  contact: { id: "uuid", user_id: "uuid", address_index: "bytea", last_used_at: "timestamptz", sealed: "bytea" },
  email_attachment: { id: "uuid", user_id: "uuid", size_bytes: "integer", created_at: "timestamptz" },
  message: { id: "uuid", email_job_id: "uuid?", size_bytes: "integer", created_at: "timestamptz", sealed: "bytea" },
  message_chunk: {
    message_id: "uuid",
    chunk_index: "integer",
    is_last: "boolean",
    created_at: "timestamptz",
    sealed: "bytea",
  },
  delivery: {
    id: "uuid",
    message_id: "uuid",
    alias_id: "uuid?",
    user_id: "uuid?",
    state: "text",
    not_before: "timestamptz",
    priority: "integer",
    taken_beside: "boolean",
    dropped: "boolean",
    lease_token: "text?",
    leased_until: "timestamptz?",
    attempts: "integer",
    last_failure: "text?",
    created_at: "timestamptz",
    sealed: "bytea",
    network_index: "bytea?",
    block_index: "bytea?",
    job_place: "smallint?",
    is_sending: "boolean",
  },
  reply_path: { id: "bytea", alias_id: "uuid", created_at: "timestamptz", sealed: "bytea" },
  one_time_token: {
    token_hash: "bytea",
    kind: "text",
    user_id: "uuid?",
    created_at: "timestamptz",
    expires_at: "timestamptz",
    sealed: "bytea?",
    network_index: "bytea?",
    block_index: "bytea?",
  },
  notice: {
    id: "uuid",
    user_id: "uuid",
    alias_id: "uuid?",
    kind: "text",
    created_at: "timestamptz",
    sealed: "bytea",
  },
  counter: { name: "text", value: "bigint" },
  checklist: { id: "uuid", user_id: "uuid", position: "integer", sealed: "bytea" },
  rate_limit: {
    id: "uuid",
    action_type: "text",
    subject_index: "bytea",
    count: "integer",
    window_start: "timestamptz",
    last_action: "timestamptz",
  },
  server_key: { id: "integer", purpose: "text", created_at: "timestamptz", wrapped: "bytea" },
  schema_migration: { number: "integer", name: "text", applied_at: "timestamptz" },
};

const now = new Date("2026-03-01T12:00:00.000Z");
const start = (db: Database, secretKey: Buffer) =>
  underStartLock(db, async (trx) => {
    const applied = await runMigrations(trx, now);
    return { applied, keys: await loadServerKeys(trx, secretKey, now) };
  });

const postgres = findTestPostgres();
if (!postgres.found) console.log(postgres.reason);

const databases = {
  embedded: async () => {
    const { db, close } = await openInMemory(null);
    return { open: async () => db, close };
  },
  PostgreSQL: async () => {
    const server = await startTestPostgres();
    const url = await server.createDatabase();
    const opened: Database[] = [];
    const open = async () => {
      const db = await openPostgres(url, undefined);
      opened.push(db);
      return db;
    };
    const close = async () => {
      for (const db of opened) await db.destroy();
      await server.stop();
    };
    return { open, close };
  },
};

describe.each(["embedded", "PostgreSQL"] as const)("the schema on %s", (name) => {
  it.skipIf(name === "PostgreSQL" && !postgres.found)(
    "is created once by three processes that start concurrently, and they share the keys",
    async () => {
      const database = await databases[name]();
      try {
        const secretKey = randomBytes(32);
        const racers = await Promise.all([database.open(), database.open(), database.open()]);
        const starts = await Promise.all(racers.map((db) => start(db, secretKey)));
        const applied = starts.flatMap((it) => it.applied);
        expect(applied).toEqual(await fileNumbers());
        expect(applied).not.toEqual([]);
        const hashes = starts.map((it) => it.keys.hmac("srs", "x").toString("hex"));
        expect(new Set(hashes).size).toBe(1);
        const [db] = racers;
        expect(await readColumns(db)).toEqual(columns);
        await expect(start(db, randomBytes(32))).rejects.toMatchObject({ reason: "secret_key_wrong" });
        await expectEqualReading(db);
        await db.insertInto("schema_migration").values({ number: 9999, name: "later", applied_at: now }).execute();
        await expect(start(db, secretKey)).rejects.toMatchObject({ reason: "newer_schema" });
      } finally {
        await database.close();
      }
    },
  );
});

const oneOfBoth = postgres.found && !isLongRun ? (["PostgreSQL"] as const) : (["embedded", "PostgreSQL"] as const);

describe.each(oneOfBoth)("a schema of an older version on %s", (name) => {
  it.skipIf(name === "PostgreSQL" && !postgres.found)(
    "keeps its sessions, each with a new id and no device",
    async () => {
      const database = await databases[name]();
      try {
        const db = await database.open();
        await makeSchema(db, 4);
        const tokens = [randomBytes(32), randomBytes(32)];
        await insertOldSessions(db, tokens);
        await start(db, randomBytes(32));
        const rows = await db.selectFrom("session").selectAll().execute();
        expect(rows.map((row) => row.sealed)).toEqual([null, null]);
        expect(new Set(rows.map((row) => row.id)).size).toBe(2);
        const hex = (bytes: readonly Buffer[]) => bytes.map((it) => it.toString("hex")).sort();
        expect(hex(rows.map((row) => row.token_hash))).toEqual(hex(tokens));
      } finally {
        await database.close();
      }
    },
  );
});

// In `npm test`, old-data-directories.test.ts opens data directories that older versions wrote.
it.runIf(isLongRun)("opens a data directory of an older version and reads the data in it", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-older-"));
  const secretKey = randomBytes(32);
  try {
    const older = await openEmbedded(dataDir);
    await makeSchema(older.db, 4);
    const keys = await older.db.transaction().execute((trx) => loadServerKeys(trx, secretKey, now));
    const context = { db: older.db, keys, clock: { now: () => now }, signals: changeSignals({ notify: false }) };
    const account = await plantAccount(context, {
      without: [
        "session",
        "missing_mailbox",
        "api_key",
        "label",
        "mailbox",
        "label",
        "client_number_last",
        "alias_number",
        "mailbox_number",
        "alias_import",
        "alias_import_batch",
        "checklist",
      ],
    });
    await older.close();

    const store = await openStore({ databaseUrl: null, dataDir, secretKey });
    try {
      expect((await store.operator.migrations()).pending).toEqual([]);
      expect((await store.users.findByEmail(account.email))?.id).toBe(account.userId);
      const exported = JSON.stringify(await wholeExport(store.accountExport, account.userId));
      for (const known of [account.address, account.mailbox, "planted smtp_credential", "planted message"])
        expect(exported).toContain(known);
    } finally {
      await store.close();
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

/** Numbers of the migration files in ascending order. */
async function fileNumbers(): Promise<number[]> {
  const names = await readdir(new URL("./migrations/", import.meta.url));
  return names.sort().map((name) => Number(name.slice(0, 4)));
}

/** Creates the schema of an older version: the migrations up to the number `last`. */
async function makeSchema(db: Database, last: number): Promise<void> {
  const directory = new URL("./migrations/", import.meta.url);
  await sql`CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL)`.execute(db);
  for (const file of (await readdir(directory)).sort().slice(0, last)) {
    const text = (await readFile(new URL(file, directory), "utf8")).replace(/^--.*$/gm, "");
    for (const statement of text.split(/;[ \t]*$/m)) if (statement.trim() !== "") await sql.raw(statement).execute(db);
    await db
      .insertInto("schema_migration")
      .values({ number: Number(file.slice(0, 4)), name: file, applied_at: now })
      .execute();
  }
}

async function insertOldSessions(db: Database, tokens: readonly Buffer[]): Promise<void> {
  const userId = randomUUID();
  await sql`INSERT INTO "user" (id, auth_method, created_at, updated_at, sealed)
    VALUES (${userId}, 'email', ${now}, ${now}, ${randomBytes(40)})`.execute(db);
  for (const token of tokens)
    await sql`INSERT INTO session (token_hash, user_id, created_at, last_seen_at)
      VALUES (${token}, ${userId}, ${now}, ${now})`.execute(db);
}

async function readColumns(db: Database): Promise<Record<string, Record<string, string>>> {
  const { rows } = await sql<{ table_name: string; column_name: string; data_type: string; is_nullable: string }>`
    SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = 'public'`.execute(db);
  const tables: Record<string, Record<string, string>> = {};
  for (const row of rows) {
    const type = row.data_type.replace("timestamp with time zone", "timestamptz");
    (tables[row.table_name] ??= {})[row.column_name] = row.is_nullable === "YES" ? `${type}?` : type;
  }
  return tables;
}

/** Asserts that the driver returns the JavaScript values that both drivers must agree on. */
async function expectEqualReading(db: Database): Promise<void> {
  const big = Buffer.from([0, 1, 127, 128, 255]);
  const { rows } =
    await sql`SELECT 5000000000::bigint AS int8, ${big}::bytea AS bytes, interval '1 day 2 hours' AS span,
    ${now}::timestamptz AS moment, true AS yes, 1.50::numeric AS number, count(*) AS count FROM server_key`.execute(db);
  const values = { int8: 5_000_000_000, bytes: big, span: "1 day 02:00:00", moment: now, yes: true, number: "1.50" };
  expect(rows).toEqual([{ ...values, count: 8 }]);
}
