import type { AccountDomainKeyTable } from "../../domain-tables.ts";
import { publicKeysOf } from "../domains/domain-keys.ts";
import { clearRow, type ExportPages, type ExportSource, inPages, ownedRows } from "./export-rows.ts";

const withDomain = "when you remove the domain, or with the account";

export const accountDomainTables = {
  account_domain: {
    about:
      "Your own domains: the text of the record that proves each, what DNS answered when it was last asked, and which names become aliases by their first mail.",
    rows: (source: ExportSource): ExportPages =>
      ownedRows(source, "account_domain", (row) => ({
        ...clearRow(source, "account_domain", row),
        deletionDate: withDomain,
      })),
  },
  account_domain_certificate: {
    about: "When the certificates for the policies of your own domains are ordered next. Keys stay on the server.",
    rows: (source: ExportSource): ExportPages =>
      ownedRows(source, "account_domain_certificate", ({ id, state, due_at: dueAt }) => ({
        domainId: id,
        state,
        dueAt,
        deletionDate: withDomain,
      })),
  },
  account_domain_key: {
    about: "The DKIM keys of your own domains, as they are published. The private keys stay on the server.",
    rows: domainKeyRows,
  },
};

function domainKeyRows(source: ExportSource): ExportPages {
  const { db, userId } = source;
  return inPages({
    page: (after, limit) => {
      const own = db.selectFrom("account_domain_key").selectAll("account_domain_key");
      const mine = own.innerJoin("account_domain", "account_domain.id", "domain_id").where("user_id", "=", userId);
      const next = mine.where("account_domain_key.id", ">", after).orderBy("account_domain_key.id");
      return next.limit(limit).execute();
    },
    show: (row) => shownKey(source, row),
  });
}

function shownKey({ keys }: ExportSource, row: AccountDomainKeyTable) {
  const { id, domain_id: domainId, selector, state, created_at: createdAt } = row;
  const [published] = publicKeysOf(keys, { domain: domainId, rows: [row] });
  return { id, domainId, selector, state, createdAt, record: published?.text, deletionDate: withDomain };
}
