/** Own domains of all accounts, for the operator. */
import { accountDomainStates } from "@kauke/contract";
import type { DomainState } from "../../../core/domain/domain-standing.ts";
import type { StoreContext } from "../../store-context.ts";
import { accountDomainIndex } from "./lock-own-domains.ts";
import { openAccountDomain } from "./save-domain-check.ts";

export interface OperatorDomain {
  id: string;
  userId: string;
  state: DomainState;
  createdAt: Date;
  stateUntil: Date | null;
  aliases: number;
  /** A-labels in lower case. */
  domain: string;
}

type DomainPlace = Pick<OperatorDomain, "id" | "userId">;

export interface OperatorDomainStore {
  list(page: { after: string | null; limit: number }): Promise<OperatorDomain[]>;
  find(domainId: string): Promise<DomainPlace | null>;
  /** The one that holds the domain first, then those of other accounts. @param domain A-labels in lower case */
  findByName(domain: string): Promise<DomainPlace[]>;
  countByState(): Promise<Record<DomainState, number>>;
}

export function operatorDomainStore(context: StoreContext): OperatorDomainStore {
  const { db, keys } = context;
  const places = db.selectFrom("account_domain").select(["id", "user_id as userId"]);
  return {
    list: (page) => listDomains(context, page),
    find: async (id) => (await places.where("id", "=", id).executeTakeFirst()) ?? null,
    findByName: (domain) =>
      places
        .where("domain_index", "=", accountDomainIndex(keys, domain))
        .orderBy((row) => row("state", "=", "new"))
        .orderBy("created_at")
        .execute(),
    countByState: () => countByState(context),
  };
}

async function countByState({ db }: StoreContext): Promise<Record<DomainState, number>> {
  const counts = await db
    .selectFrom("account_domain")
    .select((row) => ["state", row.fn.countAll<number>().as("count")])
    .groupBy("state")
    .execute();
  const countOf = (state: DomainState) => counts.find((one) => one.state === state)?.count ?? 0;
  return Object.fromEntries(accountDomainStates.map((state) => [state, countOf(state)])) as Record<DomainState, number>;
}

async function listDomains(
  { db, keys }: StoreContext,
  { after, limit }: { after: string | null; limit: number },
): Promise<OperatorDomain[]> {
  let query = db
    .selectFrom("account_domain")
    .select(["id", "user_id", "state", "created_at", "state_until", "sealed"])
    .select((row) =>
      row
        .selectFrom("alias")
        .select((row) => row.fn.countAll<number>().as("count"))
        .whereRef("alias.domain_id", "=", "account_domain.id")
        .as("aliases"),
    );
  if (after !== null) query = query.where("id", ">", after);
  const rows = await query.orderBy("id").limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    state: row.state,
    createdAt: row.created_at,
    stateUntil: row.state_until,
    aliases: row.aliases ?? 0,
    domain: openAccountDomain(keys, row).domain,
  }));
}
