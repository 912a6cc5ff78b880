/** Aliases on an own domain are stored under a lock of its row, which its removal and each change of its standing wait for. */
import { isDomainOpen } from "@kauke/contract";
import type { InTransaction } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { anyOfBytes, anyOfIds } from "../sql-parts.ts";

export const accountDomainIndex = (keys: ServerKeys, domain: string): Buffer =>
  keys.blindIndex("account_domain.domain", domain);

/** @returns ids of the account's own domains among `domains` that take mail, for `alias.domain_id`, until the commit */
export async function lockOwnDomains(
  { keys }: Pick<StoreContext, "keys">,
  trx: InTransaction,
  { userId, domains }: { userId: string; domains: readonly string[] },
): Promise<Map<string, string>> {
  const byIndex = new Map(domains.map((domain) => [accountDomainIndex(keys, domain).toString("hex"), domain]));
  const indexes = [...byIndex.keys()].map((hex) => Buffer.from(hex, "hex"));
  const mine = trx.selectFrom("account_domain").select("id").where("user_id", "=", userId);
  const ids = (await mine.where("domain_index", "=", anyOfBytes(indexes)).execute()).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  await lockAccount(trx, userId);
  const wanted = trx.selectFrom("account_domain").select(["id", "domain_index", "state"]);
  const rows = await wanted.where("id", "=", anyOfIds(ids)).orderBy("id").forKeyShare().execute();
  const open = rows.filter(isDomainOpen).map((row) => [byIndex.get(row.domain_index.toString("hex")) ?? "", row.id]);
  return new Map(open as [string, string][]);
}

/** Before a domain of the account, as its deletion does, so that the two can't deadlock. */
export async function lockAccount(trx: InTransaction, userId: string): Promise<void> {
  await trx.selectFrom("user").select("id").where("id", "=", userId).forKeyShare().execute();
}
