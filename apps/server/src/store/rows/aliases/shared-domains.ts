/** Registered domains at which several accounts have mailboxes. Each destination holds its own as a keyed hash. */
import { sql } from "kysely";
import type { InTransaction } from "../../database.ts";
import { SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import type { UserDocument } from "../accounts/user-document.ts";
import { anyOfBytes } from "../any-of.ts";
import type { AliasDocument } from "./alias-document.ts";
import { mailboxIndex, mailDomainIndex } from "./mailbox-index.ts";

const ROWS_AT_ONCE = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** Implements `DestinationStore.isSharedDomain`. */
export async function isSharedDomain({ db, keys }: StoreContext, domain: string): Promise<boolean> {
  const index = mailDomainIndex(keys, `@${domain}`);
  if (index.length === 0) return true;
  const confirmed = db.selectFrom("destination").select("user_id").where("state", "=", "confirmed");
  const there = confirmed.where("domain_index", "=", index).limit(1);
  const first = await there.executeTakeFirst();
  return first !== undefined && (await there.where("user_id", "<>", first.user_id).executeTakeFirst()) !== undefined;
}

/**
 * Fills in the domain of destinations that were stored before the column existed. Their rows hold the mailbox as a hash
 * only, so the addresses are taken from the sealed documents of aliases and accounts. Call it under the start
 * lock. Reads all aliases and accounts if any row has no domain, otherwise nothing.
 */
export async function fillDestinationDomains(trx: InTransaction, keys: ServerKeys): Promise<void> {
  const unfilled = trx.selectFrom("destination").select("id").where("domain_index", "is", null);
  if ((await unfilled.limit(1).executeTakeFirst()) === undefined) return;
  const filled = new Set<string>();
  for (const table of ["alias", "user"] as const) {
    for (let last = FIRST_ID; ; ) {
      const page = trx
        .selectFrom(table as "alias")
        .select(["id", "sealed"])
        .where("id", ">", last);
      const rows = await page.orderBy("id").limit(ROWS_AT_ONCE).execute();
      const addresses = rows.flatMap((row) => addressesIn(() => keys.open(table, row.id, row.sealed)));
      await fill(trx, keys, { addresses, filled });
      last = rows.at(-1)?.id ?? last;
      if (rows.length < ROWS_AT_ONCE) break;
    }
  }
  // A mailbox that no alias forwards to any more: its domain is unknown and counts for nothing.
  await trx
    .updateTable("destination")
    .set({ domain_index: Buffer.alloc(0) })
    .where("domain_index", "is", null)
    .execute();
}

type SomeDocument = Partial<AliasDocument & Pick<UserDocument, "email">>;

/** A row that can't be unsealed has none: it must not keep the server from starting. */
function addressesIn(open: () => SomeDocument): string[] {
  let document: SomeDocument;
  try {
    document = open();
  } catch (thrown) {
    if (thrown instanceof SealError) return [];
    throw thrown;
  }
  const destinations = [...(document.destinations ?? []), ...(document.lastDestinations ?? [])];
  const mailboxes = destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
  return document.email ? [...mailboxes, document.email] : mailboxes;
}

/** Sets the domain of the mailboxes, in one statement for each domain. @param filled addresses that are done */
async function fill(
  trx: InTransaction,
  keys: ServerKeys,
  { addresses, filled }: { addresses: readonly string[]; filled: Set<string> },
): Promise<void> {
  const open = addresses.filter((address) => !filled.has(address));
  for (const address of open) filled.add(address);
  const byDomain = Map.groupBy(new Set(open), (address) => mailDomainIndex(keys, address).toString("hex"));
  for (const [domain, mailboxes] of byDomain) {
    const indexes = anyOfBytes(mailboxes.map((address) => mailboxIndex(keys, address)));
    const update = trx.updateTable("destination").set({ domain_index: Buffer.from(domain, "hex") });
    await update.where("mailbox_index", "=", indexes).where(sql<boolean>`domain_index IS NULL`).execute();
  }
}
