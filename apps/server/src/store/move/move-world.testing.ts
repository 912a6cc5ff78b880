/** A data directory with a row in every table, bodies in files and a message in flight, to be moved. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { changeSignals } from "../change-signals.ts";
import type { Database } from "../database.ts";
import { openEmbedded } from "../embedded/embedded-database.ts";
import { runMigrations, underStartLock } from "../migrate.ts";
import { messageBodiesInFiles } from "../queue/bodies/message-bodies.ts";
import { nodeSpoolFiles } from "../queue/bodies/spool-files.ts";
import { inFlightFiles } from "../queue/in-flight.ts";
import { plantAccount } from "../rows/accounts/account-rows.testing.ts";
import { aMessage, anAlias, anOpenDelivery } from "../rows.testing.ts";
import { loadServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";
import { movedTables } from "./move-tables.ts";

export interface MoveWorld {
  dataDir: string;
  secretKey: Buffer;
  /** Text of each body by the id of its message or attachment. */
  bodies: ReadonlyMap<string, string>;
  /** Id of a message that a killed server had in flight. */
  inFlightId: string;
}

/** @param accounts planted, each with a row in every table and one body; the first body has several chunks */
export async function plantWorld(
  accounts: number,
  more: (context: StoreContext) => Promise<void> = async () => {},
): Promise<MoveWorld> {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-move-"));
  const secretKey = randomBytes(32);
  const { db, close } = await openEmbedded(dataDir);
  const now = new Date();
  const keys = await underStartLock(db, async (trx) => {
    await runMigrations(trx, now);
    return await loadServerKeys(trx, secretKey, now);
  });
  const context = { db, keys, clock: { now: () => now }, signals: changeSignals({ notify: false }) };
  const files = { keys, files: nodeSpoolFiles, now: () => now };
  const spool = messageBodiesInFiles({ ...files, directory: join(dataDir, "spool") });
  const bodies = new Map<string, string>();
  let owner = { userId: "", aliasId: "" };
  for (let count = 0; count < accounts; count += 1) {
    const { messageId, ...planted } = await plantAccount(context, { without: ["message_chunk"] });
    const text = `body of ${messageId}${"x".repeat(count === 0 ? 600_000 : 0)}`;
    bodies.set(messageId, text);
    owner = planted;
    await spool.put(messageId, [Buffer.from(text)]);
  }
  for (const { id } of await db.selectFrom("email_attachment").select("id").execute()) {
    bodies.set(id, `file of ${id}`);
    await spool.put(id, [Buffer.from(`file of ${id}`)]);
  }
  await plantServerRows(context);
  await more(context);
  const message = aMessage();
  await mkdir(join(dataDir, "underway"));
  await inFlightFiles({ ...files, directory: join(dataDir, "underway") }).store({
    message,
    delivery: anOpenDelivery(message, anAlias(owner.userId, { id: owner.aliasId }), {
      lease: { token: "of a killed server", until: new Date(now.getTime() + 600_000) },
    }),
    wire: Buffer.from("in flight"),
  });
  bodies.set(message.id, "in flight");
  await close();
  return { dataDir, secretKey, bodies, inFlightId: message.id };
}

/** Rows of no account, leases, a time with microseconds, and the two references of an account to its key. */
async function plantServerRows({ db, keys }: StoreContext): Promise<void> {
  const id = randomUUID();
  const sealed = keys.seal("certificate_record", id, { planted: true });
  await db
    .insertInto("certificate_record")
    .values({ id, kind: "lease", name: "x", expires_at: null, sealed })
    .execute();
  await db
    .insertInto("invitation")
    .values({ id, token_index: Buffer.alloc(32, 7), created_at: new Date(), expires_at: new Date(), sealed })
    .execute();
  await db
    .insertInto("operator_act")
    .values({ id, at: new Date(), by: "command", act: "queue_dropped", sealed: keys.seal("operator_act", id, {}) })
    .execute();
  await db
    .insertInto("mail_probe")
    .values({
      id,
      address_index: Buffer.alloc(32, 8),
      created_at: new Date(),
      expires_at: new Date(),
      messages: 1,
      sealed,
    })
    .execute();
  await db
    .insertInto("counter")
    .values([
      { name: "b", value: 5_000_000_000 },
      { name: "A", value: 1 },
    ])
    .execute();
  await sql`UPDATE delivery SET lease_token = 'of a killed server', leased_until = now() + interval '1 hour'`.execute(
    db,
  );
  await sql`UPDATE "user" SET created_at = '2026-03-01 12:00:00.123456+00',
    seal_key_id = (SELECT id FROM encryption_key WHERE user_id = "user".id)`.execute(db);
  await sql`UPDATE alias SET seal_key_id = (SELECT id FROM encryption_key WHERE user_id = alias.user_id)`.execute(db);
}

/** All rows but bodies, as text by table; leases are excluded, since a move releases them. */
export async function rowsOf(db: Database): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  await sql`SET TIME ZONE 'UTC'`.execute(db);
  for (const { name } of movedTables) {
    const { rows } = await sql<{ row: string }>`
      SELECT (to_jsonb(t) - 'lease_token' - 'leased_until')::text AS row FROM ${sql.table(name)} AS t`.execute(db);
    all[name] = rows.map(({ row }) => row).sort();
  }
  return all;
}
