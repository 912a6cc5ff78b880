import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { type AddressStanding, type Alias, aliasAddress } from "../../../core/alias/alias.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { formerUserIndex, type ReleasedAddresses } from "../accounts/released-addresses.ts";
import { usableOwnDomains } from "../domains/lock-own-domains.ts";
import { anyOfBytes, anyOfIds } from "../sql-parts.ts";
import { type AliasDocument, documentOfNew, encryptionColumns } from "./alias-document.ts";

interface Inserting {
  trx: InTransaction;
  released: ReleasedAddresses;
  aliases: readonly Alias[];
  /** Of own domains that take mail, by domain. */
  domainIds: ReadonlyMap<string, string>;
}

export async function insertAliases(
  context: StoreContext,
  { trx, released, aliases, domainIds }: Inserting,
): Promise<Set<string>> {
  const rows = aliases.map((alias) => newRow(context, alias, domainIds));
  // Rows are inserted by address index, so that two transactions can't deadlock.
  rows.sort((a, b) => a.index.compare(b.index));
  const inserted: InsertedRow[] = [];
  for (let from = 0; from < rows.length; from += INSERTED_AT_ONCE) {
    inserted.push(...(await insertRows(trx, rows.slice(from, from + INSERTED_AT_ONCE))));
    await nextTurn();
  }
  // The unique index has waited for concurrent deletions, so their reservations are visible.
  const userId = aliases[0]?.userId ?? "";
  const indexes = inserted.map((row) => row.address_index);
  const onOwnDomain = inserted.filter((row) => row.domain_id !== null).map((row) => row.address_index);
  await released.drop(trx, onOwnDomain);
  const held = await released.claimAll(trx, indexes, userId);
  const idsIn = (hexes: ReadonlySet<string>) =>
    new Set(inserted.filter((row) => hexes.has(row.address_index.toString("hex"))).map((row) => row.id));
  const [refused, reclaimed] = [idsIn(held.refused), anyOfIds([...idsIn(held.reclaimed)])];
  await trx
    .deleteFrom("alias")
    .where("id", "=", anyOfIds([...refused]))
    .execute();
  await trx.updateTable("alias").set({ fresh: "reclaimed" }).where("id", "=", reclaimed).execute();
  return new Set(inserted.map((row) => row.id).filter((id) => !refused.has(id)));
}

/** A statement for this many rows blocks the embedded database's event loop for some 30 ms. */
const INSERTED_AT_ONCE = 250;

function newRow({ keys }: StoreContext, alias: Alias, domainIds: Inserting["domainIds"]) {
  return {
    ...alias,
    active: alias.routing.state === "active",
    index: keys.blindIndex("alias.address", aliasAddress(alias.name, alias.domain)),
    domainId: domainIds.get(alias.domain) ?? null,
    sealed: keys.seal("alias", alias.id, documentOfNew(alias, randomBytes)),
    ...encryptionColumns(alias.sealTo),
  };
}

interface InsertedRow {
  id: string;
  domain_id: string | null;
  address_index: Buffer;
}

async function insertRows(trx: InTransaction, rows: readonly ReturnType<typeof newRow>[]): Promise<InsertedRow[]> {
  const { rows: inserted } = await sql<InsertedRow>`
    INSERT INTO alias (id, user_id, active, created_at, address_index, sealed, seal_off, seal_key_id, fresh,
      domain_id)
    SELECT id, user_id, active, created_at, decode(address_index, 'hex'), decode(sealed, 'hex'), seal_off, seal_key_id,
      'new', domain_id
    FROM unnest(
      ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.userId)}::uuid[],
      ${rows.map((row) => row.active)}::boolean[], ${rows.map((row) => row.createdAt.toISOString())}::timestamptz[],
      ${rows.map((row) => row.index.toString("hex"))}::text[], ${rows.map((row) => row.sealed.toString("hex"))}::text[],
      ${rows.map((row) => row.seal_off)}::boolean[], ${rows.map((row) => row.seal_key_id)}::uuid[],
      ${rows.map((row) => row.domainId)}::uuid[]
    ) AS given (id, user_id, active, created_at, address_index, sealed, seal_off, seal_key_id, domain_id)
    ON CONFLICT DO NOTHING RETURNING id, domain_id, address_index`.execute(trx);
  return inserted;
}

export async function addressStanding(
  context: StoreContext,
  userId: string,
  addresses: readonly string[],
): Promise<Map<string, AddressStanding>> {
  const { db, keys, clock } = context;
  const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);
  const own = await usableOwnDomains(context, { userId, domains: [...new Set(addresses.map(domainOf))] });
  const byIndex = new Map(
    addresses.map((address) => [keys.blindIndex("alias.address", address).toString("hex"), address]),
  );
  const indexes = anyOfBytes([...byIndex.keys()].map((hex) => Buffer.from(hex, "hex")));
  const held = await db
    .selectFrom("released_address")
    .select("address_index")
    .where("address_index", "=", indexes)
    .where("former_user_index", "!=", formerUserIndex(keys, userId))
    .where("until", ">", clock.now())
    .execute();
  const known = await db
    .selectFrom("alias")
    .select(["id", "user_id", "address_index", "sealed"])
    .where("address_index", "=", indexes)
    .execute();
  const standing = new Map<string, AddressStanding>();
  const addressOf = (index: Buffer) => byIndex.get(index.toString("hex")) ?? "";
  const heldAddresses = held.map((row) => addressOf(row.address_index));
  for (const address of heldAddresses) if (!own.has(domainOf(address))) standing.set(address, { kind: "other" });
  for (const row of known) {
    const isOwn = row.user_id === userId;
    const notes = isOwn ? keys.open<AliasDocument>("alias", row.id, row.sealed).notes : null;
    standing.set(addressOf(row.address_index), isOwn ? { kind: "own", notes } : { kind: "other" });
  }
  return standing;
}
