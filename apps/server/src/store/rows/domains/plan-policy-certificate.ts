import { isDomainOpen } from "@kauke/contract";
import type { DomainState } from "../../../core/domain/domain-standing.ts";
import type { InTransaction } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

interface Plan {
  id: string;
  userId: string;
  state: DomainState;
  /** Whether the domain's policy host leads to this server. */
  leadsHere: boolean;
  now: Date;
}

/** Begins or ends orders after a check. Called in its transaction, with the domain's row locked. */
export async function planPolicyCertificate(
  trx: InTransaction,
  keys: ServerKeys,
  { id, userId, state, leadsHere, now }: Plan,
): Promise<void> {
  if (state === "new" || state === "closed") {
    await trx.deleteFrom("account_domain_certificate").where("id", "=", id).execute();
    return;
  }
  const change = trx.updateTable("account_domain_certificate").where("id", "=", id);
  if (!leadsHere || !isDomainOpen({ state })) return void (await change.set({ due_at: null }).execute());
  const sealed = keys.seal("account_domain_certificate", id, {});
  // A row that is there keeps its document, and with it the pause after failed orders.
  await trx
    .insertInto("account_domain_certificate")
    .values({ id, user_id: userId, state: "waiting", due_at: now, leased_until: null, sealed })
    .onConflict((same) => same.column("id").doNothing())
    .execute();
  await change.where("due_at", "is", null).set({ due_at: now }).execute();
}
