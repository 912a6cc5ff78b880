/** Own domains of accounts. A domain's name is sealed; a keyed hash finds it. Each has two DKIM keys from the start. */
import { randomUUID } from "node:crypto";
import { publicDkimKey } from "@kauke/mail-rfc";
import { sql } from "kysely";
import type { AccountDomain, AccountDomainStore } from "../../../core/domain/account-domain.ts";
import { type AppearRules, noneAppear } from "../../../core/domain/appear-rules.ts";
import type { Database } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { anyOfIds } from "../sql-parts.ts";
import { setDomainName } from "./display-names.ts";
import { makeDomainKeys, publicKeysOf, sealedKeyRow } from "./domain-keys.ts";
import { beginRemoval, type EndingParts, endAliases } from "./end-aliases.ts";
import { accountDomainIndex } from "./lock-own-domains.ts";
import { endFormerAliases, tellHolder } from "./rival-domains.ts";
import { type AccountDomainDocument, lockDomain, openAccountDomain, saveDomainCheck } from "./save-domain-check.ts";

export function accountDomainStore(context: StoreContext, parts: EndingParts): AccountDomainStore {
  return {
    list: async (userId) => {
      const domains = await readDomains(context, { userId });
      return domains.sort((a, b) => (a.domain < b.domain ? -1 : 1));
    },
    find: async (userId, id) => (await readDomains(context, { userId, id }))[0] ?? null,
    add: (domain, options) => addDomain(context, domain, options),
    saveCheck: async (domain, check) => {
      const saved = await saveDomainCheck(context, { ...domain, ...check });
      if (check.verdict === "proves" && saved === "taken") await tellHolder(context, { ...domain, ...check });
      if (check.verdict === "proves" && saved === "saved")
        await endFormerAliases(context, parts, { ...domain, ...check });
      return saved;
    },
    changeAppearing: (domain, change) => changeAppearing(context, domain, change),
    setDisplayName: (domain, name) => setDomainName(context, domain, name),
    delete: async (userId, id, { withAliases = false } = {}) => {
      const outcome = await beginRemoval(context, { userId, id }, { withAliases });
      if (outcome !== "begun") return outcome;
      await endAliases(context, parts, { userId, id });
      return "deleted";
    },
    endAliases: (domain, stopping) => endAliases(context, parts, { ...domain, stopping }),
  };
}

/** A domain that is being removed is not. */
const isShown = sql<boolean>`ends IS DISTINCT FROM 'removed'`;

interface Place {
  userId: string;
  id?: string;
}

async function readDomains({ db, keys }: StoreContext, { userId, id }: Place): Promise<AccountDomain[]> {
  let mine = db.selectFrom("account_domain").selectAll().where("user_id", "=", userId).where(isShown);
  if (id !== undefined) mine = mine.where("id", "=", id);
  const rows = await mine.execute();
  const ids = anyOfIds(rows.map((row) => row.id));
  const keyRows = await db.selectFrom("account_domain_key").selectAll().where("domain_id", "=", ids).execute();
  const counts = await db
    .selectFrom("alias")
    .select((row) => ["domain_id", row.fn.countAll<number>().as("count")])
    .where("domain_id", "=", ids)
    .where("delete_at", "is", null)
    .groupBy("domain_id")
    .execute();
  const certificates = await db
    .selectFrom("account_domain_certificate")
    .select(["id", "state"])
    .where("id", "=", ids)
    .where("due_at", "is not", null)
    .execute();
  return rows.map((row) => {
    const { domain, token, seen, appearing = noneAppear, displayName = null } = openAccountDomain(keys, row);
    const ofDomain = keyRows.filter((key) => key.domain_id === row.id);
    return {
      id: row.id,
      userId,
      domain,
      token,
      state: row.state,
      createdAt: row.created_at,
      provenAt: row.proven_at,
      checkedAt: row.checked_at,
      failingSince: row.failing_since,
      stateUntil: row.state_until,
      seen,
      dkim: publicKeysOf(keys, { domain, rows: ofDomain }),
      aliasCount: counts.find((count) => count.domain_id === row.id)?.count ?? 0,
      appearing,
      displayName,
      policy: certificates.find(({ id: of }) => of === row.id)?.state ?? "none",
    };
  });
}

type NotAdded = Extract<Awaited<ReturnType<AccountDomainStore["add"]>>, string>;
type ToAdd = Parameters<AccountDomainStore["add"]>[0];

async function addDomain(
  context: StoreContext,
  { userId, domain, token }: ToAdd,
  { now, max }: { now: Date; max: number },
): Promise<AccountDomain | NotAdded> {
  const { db, keys } = context;
  const index = accountDomainIndex(keys, domain);
  // Asked before the keys are made, which takes a second, and again when they are stored.
  const refused = await whyRefused(db, { userId, index, max });
  if (refused !== null) return refused;
  const id = randomUUID();
  const dkim = await makeDomainKeys(domain);
  const added = { id, userId, domain, token, state: "new", createdAt: now } as const;
  return await db.transaction().execute(async (trx) => {
    await trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
    const refusedNow = await whyRefused(trx, { userId, index, max });
    if (refusedNow !== null) return refusedNow;
    const document: AccountDomainDocument = { domain, token, seen: [] };
    await trx
      .insertInto("account_domain")
      .values({
        id,
        user_id: userId,
        domain_index: index,
        state: "new",
        created_at: now,
        proven_at: null,
        checked_at: null,
        failing_since: null,
        state_until: null,
        counted_at: null,
        due_at: null,
        leased_until: null,
        sealed: keys.seal("account_domain", id, document),
      })
      .execute();
    const keyRows = dkim.map((key) => sealedKeyRow(keys, { ...key, domainId: id, now }));
    await trx.insertInto("account_domain_key").values(keyRows).execute();
    const published = dkim.map(({ key }) => publicDkimKey(key));
    const noTimes = { provenAt: null, checkedAt: null, failingSince: null, stateUntil: null };
    const none = { appearing: noneAppear, displayName: null, policy: "none" } as const;
    return { ...added, ...noTimes, ...none, seen: [], dkim: published, aliasCount: 0 };
  });
}

async function whyRefused(
  db: Pick<Database, "selectFrom">,
  { userId, index, max }: { userId: string; index: Buffer; max: number },
): Promise<NotAdded | null> {
  const rows = await db
    .selectFrom("account_domain")
    .select(["domain_index", "ends"])
    .where("user_id", "=", userId)
    .execute();
  const same = rows.find((row) => row.domain_index.equals(index));
  if (same !== undefined) return same.ends === "removed" ? "ending" : "exists";
  return rows.filter((row) => row.ends !== "removed").length >= max ? "full" : null;
}

async function changeAppearing(
  { db, keys, signals }: StoreContext,
  place: { userId: string; id: string },
  change: (rules: AppearRules) => AppearRules,
): Promise<boolean> {
  const { id } = place;
  const isOwn = await db.transaction().execute(async (trx) => {
    const row = await lockDomain(trx, place);
    if (row === undefined || row.ends === "removed") return false;
    const before = openAccountDomain(keys, row);
    const document: AccountDomainDocument = { ...before, appearing: change(before.appearing ?? noneAppear) };
    const sealed = keys.seal("account_domain", id, document);
    await trx.updateTable("account_domain").set({ sealed }).where("id", "=", id).execute();
    await signals.announceDomain(trx, id);
    return true;
  });
  if (isOwn) await signals.domainChanged({ domainId: id });
  return isOwn;
}
