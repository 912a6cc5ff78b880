/**
 * Fills the alias table with rows shaped like real ones, by SQL statements, and adds real aliases among them. A filler
 * row's address index is a random hash, so it is distributed over the index like a real one; its sealed column has the
 * usual length but no content.
 */
import type { Database } from "@kauke/server/store/database";
import type { Store } from "@kauke/server/store/open-store";
import { anAlias, aUser } from "@kauke/server/store/rows.testing";

/** Typical bytes of a sealed document for an alias with one mailbox and a short note. */
const SEALED_BYTES = 340;
export const domain = "kauke.test";

/** @returns the addresses of `count` real aliases, inserted through the store */
export async function makeRealAliases(store: Store, count: number): Promise<string[]> {
  const user = aUser({ passwordHash: null });
  await store.users.insert(user);
  const names = Array.from({ length: count }, (_, n) => `real${n}.${user.id.slice(0, 8)}`);
  for (const name of names) {
    await store.aliases.insert(anAlias(user.id, { name, domain, notes: "shop with the blue door" }));
  }
  return names.map((name) => `${name}@${domain}`);
}

/**
 * Adds `count` rows for the first user of the database. Foreign keys are not checked, and the unique index is built
 * afterwards, which shortens the time to fill the table and does not change the result.
 */
export async function addFiller(db: Database, count: number): Promise<void> {
  await db.connection().execute(async (one) => {
    for (const statement of fillingStatements(count)) await run(one, statement);
  });
}

function fillingStatements(count: number): string[] {
  const sealed = `decode(rpad(md5(n::text), ${SEALED_BYTES * 2}, md5(n::text)), 'hex')`;
  return [
    "SET session_replication_role = replica",
    "SET maintenance_work_mem = '512MB'",
    "ALTER TABLE alias DROP CONSTRAINT alias_address_index_key",
    "DROP INDEX alias_user_id",
    `INSERT INTO alias (id, user_id, active, created_at, address_index, sealed)
      SELECT lpad(to_hex(n), 32, '0')::uuid, (SELECT id FROM "user" LIMIT 1), true, now() - n * interval '1 second',
        sha256(convert_to('filler' || n, 'UTF8')), ${sealed}
      FROM generate_series(1, ${count}) AS n`,
    "ALTER TABLE alias ADD CONSTRAINT alias_address_index_key UNIQUE (address_index)",
    "CREATE INDEX alias_user_id ON alias (user_id, id)",
    "SET session_replication_role = DEFAULT",
    "VACUUM (ANALYZE) alias",
    "CHECKPOINT",
  ];
}

/** Executes a statement given as text; builds what Kysely's `sql` would, without importing its package. */
async function run(db: Database, statement: string): Promise<void> {
  const query = { kind: "RawNode", sqlFragments: [statement], parameters: [] } as const;
  await db.executeQuery({ sql: statement, parameters: [], query, queryId: { queryId: "bench" } });
}
