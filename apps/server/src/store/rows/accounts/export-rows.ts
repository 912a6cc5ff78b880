import type { ExportedRow } from "../../../core/account-export.ts";
import { sameMailbox, spellingOfMailbox } from "../../../core/destination/same-mailbox.ts";
import { keptUntil } from "../../../core/retention.ts";
import type { Database } from "../../database.ts";
import type { SealedTable, ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { openKnown } from "../provider-aliases.ts";
import { rateLimitSubject } from "../rate-limits.ts";

export interface ExportSource extends StoreContext {
  userId: string;
  addresses: Map<string, string>;
  mailboxes: Map<string, string>;
}

export type ExportPages = AsyncIterable<ExportedRow[]>;

export type AnyRow = Record<string, unknown>;
export type OwnedTable =
  | "api_key"
  | "account_domain"
  | "account_domain_certificate"
  | "alias"
  | "destination"
  | "mailbox"
  | "smtp_credential"
  | "encryption_key"
  | "label"
  | "alias_import"
  | "email_job"
  | "email_attachment"
  | "contact"
  | "delivery"
  | "notice"
  | "checklist";

const ROWS_AT_ONCE = 200;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

interface PageReader<Row, Shown> {
  rowsAtOnce?: number;
  page(after: string, limit: number): Promise<Row[]>;
  show(row: Row): Shown;
}

export async function* inPages<Row extends { id: string }, Shown>({
  page,
  show,
  rowsAtOnce = ROWS_AT_ONCE,
}: PageReader<Row, Shown>): AsyncGenerator<Shown[]> {
  for (let after = BEFORE_ALL; ; ) {
    const rows = await page(after, rowsAtOnce);
    yield rows.map(show);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last.id;
  }
}

export function ownedRows<Shown>(
  { db, userId }: { db: Database; userId: string },
  table: OwnedTable,
  show: (row: AnyRow) => Shown,
): AsyncGenerator<Shown[]> {
  return inPages({
    page: (after, limit) => {
      // The types of one table stand for all of them, since they share these columns.
      const mine = db
        .selectFrom(table as "notice")
        .selectAll()
        .where("user_id", "=", userId);
      return mine.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    show: (row) => show({ ...row }),
  });
}

export function clearRow({ keys }: { keys: ServerKeys }, table: SealedTable | "email_attachment", row: AnyRow): AnyRow {
  const plain = Object.entries(row).filter(
    ([name, value]) => !(value instanceof Uint8Array || name.endsWith("_index")),
  );
  const hidden = "token_hash" in row ? new Set(["id"]) : new Set<string>();
  const shown = plain.filter(([name]) => !hidden.has(name)).map(([name, value]) => [inCamelCase(name), value]);
  const { sealed } = row;
  const document = sealed instanceof Uint8Array ? keys.open<AnyRow>(table as SealedTable, String(row.id), sealed) : {};
  return { ...Object.fromEntries(shown), ...document };
}

const inCamelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const NUMBERS_AT_ONCE = 1000;
const withItem = "with its alias or mailbox, or with the account";

export const clientNumberTables = {
  client_number_last: {
    about: "The last of the numbers by which clients with whole numbers as ids name your aliases and mailboxes.",
    rows: lastNumbers,
  },
  alias_number: {
    about: "Numbers of aliases for clients with whole numbers as ids.",
    rows: (source: ExportSource) => numbers(source, { table: "alias_number", id: "alias_id", shown: "aliasId" }),
  },
  mailbox_number: {
    about: "Numbers of mailboxes for clients with whole numbers as ids.",
    rows: (source: ExportSource) => numbers(source, { table: "mailbox_number", id: "mailbox_id", shown: "mailboxId" }),
  },
};

async function* lastNumbers({ db, userId }: ExportSource): ExportPages {
  const rows = await db.selectFrom("client_number_last").selectAll().where("user_id", "=", userId).execute();
  yield rows.map(({ user_id, kind, last }) => ({ userId: user_id, kind, last, deletionDate: "with the account" }));
}

async function* numbers(
  { db, userId }: ExportSource,
  { table, id, shown }: { table: "alias_number" | "mailbox_number"; id: string; shown: string },
): ExportPages {
  for (let after = 0; ; ) {
    // Both number tables have the same columns but for the name of the id.
    const mine = db
      .selectFrom(table as "alias_number")
      .selectAll()
      .where("user_id", "=", userId);
    const rows = await mine.where("number", ">", after).orderBy("number").limit(NUMBERS_AT_ONCE).execute();
    yield rows.map((row) => {
      const item = (row as unknown as Record<string, string>)[id];
      return { [shown]: item, userId: row.user_id, number: row.number, deletionDate: withItem };
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < NUMBERS_AT_ONCE) return;
    after = last.number;
  }
}

/** Names the subjects of the account's rate limits. Limits by network are not linked to accounts. */
async function limitSubjects({
  keys,
  db,
  userId,
  addresses,
  mailboxes,
}: ExportSource): Promise<[RateLimitKey, string][]> {
  const row = await db.selectFrom("user").select("sealed").where("id", "=", userId).executeTakeFirst();
  const email = row === undefined ? null : keys.open<{ email: string | null }>("user", userId, row.sealed).email;
  return [
    [{ userId }, "this account"],
    ...(email === null ? [] : spellings(email).map((key) => named(key, email))),
    ...[...addresses.values()].map((address) => named(address.toLowerCase(), address)),
    ...[...mailboxes.values()].map((address) => named(sameMailbox(address), address)),
  ];
}

/** Spellings of an e-mail under which the rate limits count sign-ins and messages to its mailbox. */
const spellings = (email: string) => [
  ...new Set([email.normalize("NFC").toLowerCase(), sameMailbox(email), spellingOfMailbox(email)]),
];

type RateLimitKey = Parameters<typeof rateLimitSubject>[1];
const named = (key: string, shown: string): [RateLimitKey, string] => [{ key }, shown];

const SUBJECTS_AT_ONCE = 200;

export async function* rateLimitRows(source: ExportSource): ExportPages {
  const subjects = await limitSubjects(source);
  for (let from = 0; from < subjects.length; from += SUBJECTS_AT_ONCE) {
    const some = new Map(
      subjects
        .slice(from, from + SUBJECTS_AT_ONCE)
        .map(([key, shown]) => [rateLimitSubject(source.keys, key).toString("hex"), shown]),
    );
    const indexes = [...some.keys()].map((index) => Buffer.from(index, "hex"));
    const rows = await source.db.selectFrom("rate_limit").selectAll().where("subject_index", "in", indexes).execute();
    yield rows.map(({ action_type, count, window_start, last_action, subject_index }) => ({
      actionType: action_type,
      subject: some.get(subject_index.toString("hex")),
      count,
      windowStart: window_start,
      lastAction: last_action,
      deletionDate: keptUntil("rateLimit", window_start).toISOString(),
    }));
  }
}

const endOf = (changedAt: Date) => keptUntil("aliasImport", changedAt).toISOString();

export const importTables = {
  alias_import: {
    about: "Imports of aliases: the format, counts, and mailboxes that are not confirmed.",
    rows: (source: ExportSource): AsyncIterable<ExportedRow[]> =>
      ownedRows(source, "alias_import", (row) => ({
        ...clearRow(source, "alias_import", row),
        deletionDate: endOf(row.changed_at as Date),
      })),
  },
  alias_import_batch: { about: "Rows of your imports, up to 500 in each.", rows: batchRows },
} as const;

function batchRows(source: ExportSource): AsyncIterable<ExportedRow[]> {
  return inPages({
    // Few rows at once: each batch holds up to 500 rows of an imported file.
    rowsAtOnce: 5,
    page: (after, limit) => {
      const own = source.db.selectFrom("alias_import_batch").selectAll("alias_import_batch");
      const dated = own.innerJoin("alias_import", "alias_import.id", "import_id").select("alias_import.changed_at");
      const mine = dated.where("alias_import.user_id", "=", source.userId).where("alias_import_batch.id", ">", after);
      return mine.orderBy("alias_import_batch.id").limit(limit).execute();
    },
    show: ({ changed_at, ...row }) => ({
      ...clearRow(source, "alias_import_batch", { ...row }),
      deletionDate: endOf(changed_at),
    }),
  });
}

export const providerAliasTable = {
  provider_alias: {
    about:
      "Copies of your aliases at the forwarding provider: of aliases you deleted, too, until the provider has deleted its copy.",
    rows: providerAliasRows,
  },
};

function providerAliasRows({ db, keys, userId }: ExportSource): ExportPages {
  return inPages({
    page: (after, limit) => {
      const mine = db.selectFrom("provider_alias").selectAll().select("alias_id as id").where("user_id", "=", userId);
      return mine.where("alias_id", ">", after).orderBy("alias_id").limit(limit).execute();
    },
    show: (row) => ({
      aliasId: row.alias_id,
      providerId: openKnown(keys, row).providerId,
      address: openKnown(keys, row).address,
      isInStep: row.wanted === row.done,
      problem: row.problem,
      held: row.held,
      deletionDate: "when the alias, or the account, is deleted and the provider has deleted its copy",
    }),
  });
}
