/** Stores what DNS answered about an own domain, in one transaction with what follows from it. */
import { randomInt, randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import type { AccountDomain, DomainCheck, SeenRecord } from "../../../core/domain/account-domain.ts";
import type { AppearRules } from "../../../core/domain/appear-rules.ts";
import { domainNotice } from "../../../core/domain/domain-notice.ts";
import { type DomainStanding, type DomainState, standingAfter } from "../../../core/domain/domain-standing.ts";
import { nextCheckAt } from "../../../core/domain/recheck-times.ts";
import type { InTransaction } from "../../database.ts";
import { isDatabaseError, UNIQUE_VIOLATION } from "../../database-error.ts";
import type { AccountDomainTable } from "../../domain-tables.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { evictOldestNotices, insertNotice } from "../notices.ts";
import { lockAccount } from "./lock-own-domains.ts";
import { planPolicyCertificate } from "./plan-policy-certificate.ts";

export interface AccountDomainDocument {
  domain: string;
  token: string;
  seen: readonly SeenRecord[];
  /** Absent while the owner has changed nothing. */
  appearing?: AppearRules;
  /** Shown to correspondents of its aliases. */
  displayName?: string;
  /** When the account was last told that another has set the records of the domain right. */
  claimToldAt?: string;
  /** Whether the host of its MTA-STS policy led here when DNS last said anything about it. */
  hasPolicyHost?: boolean;
}

export const openAccountDomain = (keys: ServerKeys, row: Pick<AccountDomainTable, "id" | "sealed">) =>
  keys.open<AccountDomainDocument>("account_domain", row.id, row.sealed);

export type AccountDomainRow = Selectable<AccountDomainTable>;
type ToSave = Pick<AccountDomain, "userId" | "id"> & DomainCheck;

/** @returns `taken`: the records are right, and another account holds the domain */
export async function saveDomainCheck(context: StoreContext, check: ToSave): Promise<"saved" | "taken" | "gone"> {
  try {
    return await saveInTransaction(context, check);
  } catch (error) {
    if (!isDatabaseError(error, UNIQUE_VIOLATION, "account_domain_held")) throw error;
    const saved = await saveInTransaction(context, { ...check, verdict: "unknown" });
    return saved === "gone" ? "gone" : "taken";
  }
}

async function saveInTransaction(context: StoreContext, check: ToSave): Promise<"saved" | "gone"> {
  const { db, keys, signals } = context;
  const { id, userId, seen, now } = check;
  const saved = await db.transaction().execute(async (trx) => {
    // Its notice refers to the account.
    await lockAccount(trx, userId);
    const row = await lockDomain(trx, check);
    if (row === undefined || row.ends === "removed") return null;
    const nothing = { isChanged: false, isTold: false, isNewlyProven: false };
    if (isOutdated(check, row.checked_at)) return nothing;
    const before = openAccountDomain(keys, row);
    const hasPolicyHost = policyHostAfter(before, seen);
    const document: AccountDomainDocument = { ...before, seen, hasPolicyHost };
    const sealed = keys.seal("account_domain", id, document);
    const change = { checked_at: now, sealed, leased_until: null, ...standingChange(row, check) };
    await trx.updateTable("account_domain").set(change).where("id", "=", id).execute();
    const plan = { id, userId, state: change.state, leadsHere: hasPolicyHost, now };
    await planPolicyCertificate(trx, keys, plan);
    const isPolicyNew = hasPolicyHost !== (before.hasPolicyHost ?? false);
    if (change.state === row.state && !isPolicyNew) return nothing;
    const after = { state: change.state, stateUntil: change.state_until };
    const notice = change.state === row.state ? null : domainNotice(document.domain, { before: row.state, after });
    if (notice !== null)
      await insertNotice(trx, keys, { ...notice, id: randomUUID(), userId, aliasId: null, createdAt: now });
    await signals.announceDomain(trx, id);
    return { isChanged: true, isTold: notice !== null, isNewlyProven: row.state === "new" && change.state !== "new" };
  });
  if (saved === null) return "gone";
  // A former account's routes on the domain may be cached; until it is known here as proven, none is asked for.
  if (saved.isNewlyProven) await signals.routeChanged("all");
  if (saved.isChanged) await signals.domainChanged({ domainId: id });
  if (saved.isTold) await evictOldestNotices(db, userId);
  return "saved";
}

/** What DNS did not answer about stays as it was. */
function policyHostAfter({ hasPolicyHost = false }: AccountDomainDocument, seen: readonly SeenRecord[]): boolean {
  const state = seen.find(({ name }) => name === "mta_sts_host")?.state;
  return state === undefined || state === "unread" ? hasPolicyHost && state !== undefined : state === "right";
}

/** A clock that was set back since the stored check hides nothing. */
const isOutdated = ({ begunAt, now }: DomainCheck, checkedAt: Date | null): boolean =>
  checkedAt !== null && begunAt < checkedAt && checkedAt < now;

function standingChange(row: AccountDomainRow, { verdict, now }: DomainCheck) {
  const before: DomainStanding = {
    state: row.state,
    failingSince: row.failing_since,
    stateUntil: row.state_until,
    countedAt: row.counted_at,
  };
  const after = standingAfter(before, verdict, now);
  const unansweredChecks = verdict === "unknown" ? row.unanswered_checks + 1 : 0;
  return {
    state: after.state,
    proven_at: provenAt(row, after.state, now),
    failing_since: after.failingSince,
    state_until: after.stateUntil,
    counted_at: after.countedAt,
    unanswered_checks: unansweredChecks,
    due_at:
      row.ends !== null
        ? row.due_at
        : nextCheckAt(after, { now, unansweredChecks, spread: randomInt(SPREAD_STEPS) / SPREAD_STEPS }),
  };
}

const SPREAD_STEPS = 2 ** 32;

/** A domain that heals was proven when it was first. */
function provenAt(row: Pick<AccountDomainRow, "state" | "proven_at">, after: DomainState, now: Date): Date | null {
  if (after === "new") return null;
  return row.state === "new" ? now : row.proven_at;
}

export function lockDomain(trx: InTransaction, { userId, id }: Pick<AccountDomain, "userId" | "id">) {
  const mine = trx.selectFrom("account_domain").selectAll().where("id", "=", id).where("user_id", "=", userId);
  return mine.forUpdate().executeTakeFirst();
}
