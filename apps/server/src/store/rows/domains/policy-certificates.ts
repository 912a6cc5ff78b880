import { sql } from "kysely";
import type { CertificateRecordKind } from "../../../core/certificate.ts";
import type { OrderRecords, PolicyCertificateStore } from "../../../core/domain/policy-certificates.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { certificateRecordStore } from "../certificate-records.ts";
import { anyOfIds } from "../sql-parts.ts";
import { openAccountDomain } from "./save-domain-check.ts";

/** Values by kind, as `certificate_record` has them for the server's own certificates. */
type CertificateDocument = Partial<Record<CertificateRecordKind, unknown>>;

/** Rows that a claim looks at in the order of their due times. */
const WINDOW = 256;
/** Longer than a row is ever due ahead: a later time was stored before the clock was set back. */
const AHEAD_MS = 400 * 86_400_000;

export function policyCertificateStore(context: StoreContext): PolicyCertificateStore {
  const { db } = context;
  return {
    claimDue: (options) => claimDue(context, options),
    settle: async ({ domainId, leasedUntil }, { state, dueAt }) => {
      const mine = db.updateTable("account_domain_certificate").where("id", "=", domainId);
      const leased = mine.where("leased_until", "=", leasedUntil);
      // `due_at` is null if the host has ceased to lead here meanwhile.
      await leased
        .set({
          state,
          leased_until: null,
          due_at: sql`CASE WHEN due_at IS NULL THEN NULL ELSE ${dueAt}::timestamptz END`,
        })
        .execute();
    },
    recordsOf: (domainId) => recordsOf(context, domainId),
  };
}

async function claimDue({ db, keys, clock }: StoreContext, { most, leaseMs }: { most: number; leaseMs: number }) {
  const now = clock.now();
  const ahead = new Date(now.getTime() + AHEAD_MS);
  const isDue = sql`(coalesce(leased_until, due_at) <= ${now}::timestamptz
    OR coalesce(leased_until, due_at) > ${ahead}::timestamptz)`;
  const { rows: next } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT DISTINCT ON (user_id) id, at FROM (
        SELECT id, user_id, coalesce(leased_until, due_at) AS at FROM account_domain_certificate
        WHERE due_at IS NOT NULL AND ${isDue} ORDER BY at LIMIT ${sql.lit(WINDOW)}
      ) AS oldest WHERE NOT EXISTS (
        SELECT FROM account_domain_certificate AS other WHERE other.user_id = oldest.user_id
          AND other.leased_until > ${now}::timestamptz AND other.leased_until <= ${ahead}::timestamptz
      ) ORDER BY user_id, at
    ) AS first ORDER BY at LIMIT ${most}::integer`.execute(db);
  if (next.length === 0) return [];
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const { rows } = await sql<{ id: string; user_id: string }>`
    WITH due AS MATERIALIZED (
      SELECT id FROM account_domain_certificate WHERE id = ${anyOfIds(next.map(({ id }) => id))}
        AND due_at IS NOT NULL AND ${isDue} FOR UPDATE SKIP LOCKED
    )
    UPDATE account_domain_certificate AS leased SET leased_until = ${leasedUntil}::timestamptz FROM due
    WHERE leased.id = due.id RETURNING leased.id, leased.user_id`.execute(db);
  const claimed = anyOfIds(rows.map(({ id }) => id));
  const domains = await db
    .selectFrom("account_domain")
    .select(["id", "user_id", "sealed"])
    .where("id", "=", claimed)
    .execute();
  return domains.map((row) => {
    const { domain } = openAccountDomain(keys, row);
    return { domainId: row.id, userId: row.user_id, domain, leasedUntil };
  });
}

function recordsOf(context: StoreContext, domainId: string): OrderRecords {
  const { db, keys } = context;
  const ofServer = certificateRecordStore(context);
  const row = (trx: Pick<InTransaction, "selectFrom">) =>
    trx.selectFrom("account_domain_certificate").select(["id", "sealed"]).where("id", "=", domainId);
  const open = ({ sealed }: { sealed: Buffer }) =>
    keys.open<CertificateDocument>("account_domain_certificate", domainId, sealed);
  const change = (kind: CertificateRecordKind, value: unknown) =>
    db.transaction().execute(async (trx) => {
      const found = await row(trx).forUpdate().executeTakeFirst();
      if (found === undefined) return;
      const sealed = keys.seal("account_domain_certificate", domainId, { ...open(found), [kind]: value });
      await trx.updateTable("account_domain_certificate").set({ sealed }).where("id", "=", domainId).execute();
    });
  return {
    read: async (kind, name) => {
      if (kind === "account") return await ofServer.read(kind, ofDomains(name));
      const found = await row(db).executeTakeFirst();
      return found === undefined ? null : (open(found)[kind] ?? null);
    },
    write: async (record) => {
      const { kind, name, value } = record;
      if (kind === "account") await ofServer.write({ ...record, name: ofDomains(name) });
      // One at port 443 is named by its host, which must not stand in clear.
      else if (kind !== "challenge") await change(kind, value);
      else if (!name.includes(" ")) await ofServer.write(record);
    },
    delete: async (kind, name) => {
      if (kind === "account") await ofServer.delete(kind, ofDomains(name));
      else await change(kind, null);
    },
  };
}

/** Rate limits that orders for own domains reach are not those of the server's own account at the issuer. */
const ofDomains = (directoryUrl: string): string => `own domains ${directoryUrl}`;
