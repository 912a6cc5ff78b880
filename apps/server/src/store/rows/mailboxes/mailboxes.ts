import { randomUUID } from "node:crypto";
import { asciiDomainOf } from "@kauke/mail-rfc";
import { sql } from "kysely";
import { exactMailbox, isPublicMailHost, sameMailbox } from "../../../core/destination/same-mailbox.ts";
import type { ListedAddress, MailboxStore, StoredMailbox } from "../../../core/mailbox/mailbox.ts";
import { registrableDomain } from "../../../limits/party.ts";
import { mapInSlices } from "../../../runtime/fair-queue/slices.ts";
import type { InTransaction } from "../../database.ts";
import { preparedQuery } from "../../prepared-query.ts";
import { SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import type { UserDocument } from "../accounts/user-document.ts";
import type { AliasDocument } from "../aliases/alias-document.ts";
import { anyOfBytes, anyOfIds } from "../sql-parts.ts";

interface MailboxDocument {
  address: string;
}

const ROWS_AT_ONCE = 1000;

export function mailboxStore(context: StoreContext): MailboxStore {
  const { db, keys } = context;
  const ofUser = db.selectFrom("mailbox").select(["id", "added", "created_at", "sealed"]).where("user_id", "=", "");
  const byUser = preparedQuery(db, ofUser.orderBy("created_at").orderBy("id").compile());
  const toMailbox = (row: MailboxRow): StoredMailbox => ({
    id: row.id,
    address: keys.open<MailboxDocument>("mailbox", row.id, row.sealed).address,
    createdAt: row.created_at,
    isAdded: row.added,
  });
  return {
    list: async (userId) => mapInSlices(await byUser([userId]), toMailbox),
    insertMissing: async (userId, addresses) => {
      for (let from = 0; from < addresses.length; from += ROWS_AT_ONCE) {
        const rows = addresses.slice(from, from + ROWS_AT_ONCE).map((listed) => newRow(context, userId, listed));
        const query = db.insertInto("mailbox").values(rows);
        await query.onConflict((conflict) => conflict.constraint("mailbox_address_key").doNothing()).execute();
      }
    },
    deleteUnused: async (userId, ids) => {
      const query = db.deleteFrom("mailbox").where("user_id", "=", userId).where("id", "=", anyOfIds(ids));
      await query.where("added", "=", false).execute();
    },
    add: (userId, address, max) =>
      db.transaction().execute(async (trx) => {
        const row = await add(context, trx, { userId, address, max });
        return row === null ? null : toMailbox(row);
      }),
    delete: async (userId, id) => {
      const query = db.deleteFrom("mailbox").where("user_id", "=", userId).where("id", "=", id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

interface MailboxRow {
  id: string;
  added: boolean;
  created_at: Date;
  sealed: Buffer;
}

function newRow({ keys }: StoreContext, userId: string, { address, since }: ListedAddress) {
  const id = randomUUID();
  const document: MailboxDocument = { address };
  return {
    id,
    user_id: userId,
    mailbox_index: listedMailboxIndex(keys, address),
    added: false,
    created_at: since,
    sealed: keys.seal("mailbox", id, document),
  };
}

async function add(
  context: StoreContext,
  trx: InTransaction,
  { userId, address, max }: { userId: string; address: string; max: number },
): Promise<MailboxRow | null> {
  // The lock allows one addition at a time, so that the maximum holds.
  const user = trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate();
  if ((await user.executeTakeFirst()) === undefined) return null;
  const row = { ...newRow(context, userId, { address, since: context.clock.now() }), added: true };
  const others = await trx
    .selectFrom("mailbox")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("added", "=", true)
    .where("mailbox_index", "<>", row.mailbox_index)
    .executeTakeFirstOrThrow();
  if (others.count >= max) return null;
  return await trx
    .insertInto("mailbox")
    .values(row)
    .onConflict((conflict) => conflict.constraint("mailbox_address_key").doUpdateSet({ added: true }))
    .returning(["id", "added", "created_at", "sealed"])
    .executeTakeFirstOrThrow();
}

/** Keyed hash of exactly this address: a host may have `ann` but not `ann+shop`. */
export function missingMailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("missing_mailbox.mailbox", exactMailbox(address));
}

/** Keyed hash of an address with its tag, for the list of mailboxes. */
export function listedMailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("mailbox.address", exactMailbox(address));
}

/** Keyed hash of a mailbox, equal for all spellings that reach it. */
export function mailboxIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("destination.mailbox", sameMailbox(address));
}

/** Keyed hash of the registered domain (RFC 9989 §5.3); empty for a public host, so as not to show their sizes. */
export function mailDomainIndex(keys: ServerKeys, address: string): Buffer {
  const domain = asciiDomainOf(address);
  const registered = registrableDomain(domain) ?? domain;
  const isPublic = isPublicMailHost(domain) || isPublicMailHost(registered);
  return isPublic ? Buffer.alloc(0) : keys.blindIndex("destination.domain", registered);
}

const FILLED_AT_ONCE = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export async function isSharedDomain({ db, keys }: StoreContext, domain: string): Promise<boolean> {
  const index = mailDomainIndex(keys, `@${domain}`);
  if (index.length === 0) return true;
  const confirmed = db.selectFrom("destination").select("user_id").where("state", "=", "confirmed");
  const there = confirmed.where("domain_index", "=", index).limit(1);
  const first = await there.executeTakeFirst();
  return first !== undefined && (await there.where("user_id", "<>", first.user_id).executeTakeFirst()) !== undefined;
}

/** Fills in the domains of older destinations under the start lock; reads nothing once all are filled. */
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
      const rows = await page.orderBy("id").limit(FILLED_AT_ONCE).execute();
      const addresses = rows.flatMap((row) => addressesIn(() => keys.open(table, row.id, row.sealed)));
      await fill(trx, keys, { addresses, filled });
      last = rows.at(-1)?.id ?? last;
      if (rows.length < FILLED_AT_ONCE) break;
    }
  }
  // No alias forwards to these mailboxes any more, so their domain is unknown.
  await trx
    .updateTable("destination")
    .set({ domain_index: Buffer.alloc(0) })
    .where("domain_index", "is", null)
    .execute();
}

type SomeDocument = Partial<AliasDocument & Pick<UserDocument, "email">>;

/** A row that can't be unsealed must not keep the server from starting. */
function addressesIn(open: () => SomeDocument): string[] {
  let document: SomeDocument;
  try {
    document = open();
  } catch (thrown) {
    if (thrown instanceof SealError) return [];
    throw thrown;
  }
  const destinations = [...(document.destinations ?? []), ...(document.lastDestinations ?? [])];
  const mailboxes = destinations.flatMap((destination) =>
    destination.kind === "mailbox" ? [destination.address] : [],
  );
  return document.email ? [...mailboxes, document.email] : mailboxes;
}

/** @param filled addresses that already have their domain */
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
