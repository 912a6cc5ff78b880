/** Aliases on an own domain are stored under a lock of its row, which its removal and each change of its standing wait for. */
import { isDomainOpen } from "@kauke/contract";
import type { Database, InTransaction } from "../../database.ts";
import type { AccountDomainTable } from "../../domain-tables.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { anyOfBytes } from "../sql-parts.ts";

export const accountDomainIndex = (keys: ServerKeys, domain: string): Buffer =>
  keys.blindIndex("account_domain.domain", domain);

/** @returns ids of the account's own domains among `domains` that take mail, for `alias.domain_id`, until the commit */
export async function lockOwnDomains(
  { keys }: Pick<StoreContext, "keys">,
  trx: InTransaction,
  { userId, domains }: { userId: string; domains: readonly string[] },
): Promise<Map<string, string>> {
  const wanted = { userId, domains };
  if ((await ownDomains({ keys }, trx, wanted)).length === 0) return new Map();
  await lockAccount(trx, userId);
  const own = await ownDomains({ keys }, trx, wanted, (rows) => rows.orderBy("id").forKeyShare());
  return new Map(own.filter(isUsable).map(({ domain, id }) => [domain, id]));
}

/** The account's own domains among `domains` that take mail. */
export async function usableOwnDomains(
  { db, keys }: Pick<StoreContext, "db" | "keys">,
  wanted: { userId: string; domains: readonly string[] },
): Promise<Set<string>> {
  return new Set((await ownDomains({ keys }, db, wanted)).filter(isUsable).map(({ domain }) => domain));
}

const isUsable = (own: Pick<AccountDomainTable, "state"> & { ends: string | null }) =>
  isDomainOpen(own) && own.ends === null;

async function ownDomains(
  { keys }: Pick<StoreContext, "keys">,
  db: Pick<Database, "selectFrom">,
  { userId, domains }: { userId: string; domains: readonly string[] },
  locked = (rows: OwnDomains) => rows,
) {
  const byIndex = new Map(domains.map((domain) => [accountDomainIndex(keys, domain).toString("hex"), domain]));
  const indexes = [...byIndex.keys()].map((hex) => Buffer.from(hex, "hex"));
  const rows = await locked(ownAt(db, { userId, indexes })).execute();
  return rows.map((row) => ({ ...row, domain: byIndex.get(row.domain_index.toString("hex")) ?? "" }));
}

type OwnDomains = ReturnType<typeof ownAt>;

const ownAt = (
  db: Pick<Database, "selectFrom">,
  { userId, indexes }: { userId: string; indexes: readonly Buffer[] },
) => {
  const mine = db.selectFrom("account_domain").select(["id", "domain_index", "state", "ends"]);
  return mine.where("user_id", "=", userId).where("domain_index", "=", anyOfBytes(indexes));
};

/** Before a domain of the account, as its deletion does, so that the two can't deadlock. */
export async function lockAccount(trx: InTransaction, userId: string): Promise<void> {
  await trx.selectFrom("user").select("id").where("id", "=", userId).forKeyShare().execute();
}
