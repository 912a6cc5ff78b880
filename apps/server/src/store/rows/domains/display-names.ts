/** Display names: a domain's is read with the alias when mail leaves, so no process remembers one. */

import type { StoreContext } from "../../store-context.ts";
import type { AliasDocument } from "../aliases/alias-document.ts";
import { type AccountDomainDocument, lockDomain, openAccountDomain } from "./save-domain-check.ts";

/** @returns false for a domain that is not the account's */
export async function setDomainName(
  { db, keys }: StoreContext,
  place: { userId: string; id: string },
  name: string | null,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const row = await lockDomain(trx, place);
    if (row === undefined) return false;
    const { displayName: _, ...before } = openAccountDomain(keys, row);
    const document: AccountDomainDocument = { ...before, ...(name === null ? {} : { displayName: name }) };
    const sealed = keys.seal("account_domain", row.id, document);
    await trx.updateTable("account_domain").set({ sealed }).where("id", "=", row.id).execute();
    return true;
  });
}

/** @returns `null` for an alias without a name, on no domain that has one, or that is gone */
export async function findDisplayName({ db, keys }: StoreContext, aliasId: string): Promise<string | null> {
  const row = await db
    .selectFrom("alias")
    .leftJoin("account_domain", "account_domain.id", "alias.domain_id")
    .select(["alias.id", "alias.sealed", "account_domain.id as domain_id", "account_domain.sealed as domain_sealed"])
    .where("alias.id", "=", aliasId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const own = keys.open<AliasDocument>("alias", row.id, row.sealed).displayName;
  if (own !== undefined || row.domain_id === null || row.domain_sealed === null) return own ?? null;
  return openAccountDomain(keys, { id: row.domain_id, sealed: row.domain_sealed }).displayName ?? null;
}
