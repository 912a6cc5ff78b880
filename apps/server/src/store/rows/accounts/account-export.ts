/**
 * Everything held about one account, table by table. Every table of the schema has its line here (a new one does not compile
 * until it has), and a row is read whole: a new column or a new field of a sealed document is in the file by itself. Left out
 * are keyed hashes and what only the server can use; `about` says so.
 */
import { type EmailJobStatus, retentionDays } from "@kauke/contract";
import { sql } from "kysely";
import type {
  AccountExportStore,
  ExportedRow,
  ExportedTable,
  ExportedTables,
} from "../../../core/account-export/account-export.ts";
import { sameMailbox, spellingOfMailbox } from "../../../core/destination/same-mailbox.ts";
import { isEnd } from "../../../core/email-job/job-status.ts";
import { keptUntil } from "../../../core/retention/kept-for.ts";
import type { DB, SessionTable } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import type { AliasDocument } from "../aliases/alias-document.ts";
import { mailboxIndex, missingMailboxIndex } from "../aliases/mailbox-index.ts";
import { rateLimitSubject } from "../rate-limits.ts";
import { type AnyRow, clearRow, inPages, ownedRows } from "./export-rows.ts";
import { formerUserIndex } from "./released-addresses.ts";

interface Source extends StoreContext {
  userId: string;
  /** By alias id. */
  addresses: Map<string, string>;
  /** By keyed hash: the spelling of an alias that leads there. */
  mailboxes: Map<string, string>;
}

type Pages = AsyncIterable<ExportedRow[]>;

interface TableReader {
  about: string;
  /** Missing: nothing of an account lies there. */
  rows?: (source: Source) => Pages;
}

const withAccount = "with the account";
const withAlias = "with its alias, or with the account";
const withMail = "when the message is delivered or finally fails, or with the account";

/** Read in this order: aliases first, since other rows are named by them. */
const tables: Readonly<Record<keyof DB, TableReader>> = {
  user: {
    about: "The account. A password is kept as an argon2id hash, which is not in this file.",
    rows: userRow,
  },
  alias: {
    about:
      "Aliases with their destinations, notes and webhook secret. The key that makes their reply addresses is not here.",
    rows: aliasRows,
  },
  session: { about: "Sign-ins. Their tokens are kept as hashes, which are not here.", rows: sessionRows },
  destination: {
    about:
      "Mailboxes you forward to and whether they were confirmed. Kept by keyed hash: named while an alias leads there.",
    rows: destinationRows,
  },
  smtp_credential: {
    about: "SMTP credentials, with the password.",
    rows: (source) =>
      ownedRows(source, "smtp_credential", (row) => ({
        ...clearRow(source, "smtp_credential", row),
        username: source.addresses.get(String(row.alias_id)) ?? null,
        deletionDate: withAlias,
      })),
  },
  encryption_key: {
    about: "Encryption keys. The private key is the age file under your master password, as it is stored.",
    rows: (source) =>
      ownedRows(source, "encryption_key", (row) => ({
        ...clearRow(source, "encryption_key", row),
        deletionDate: "when you delete it, or with the account",
      })),
  },
  email_job: {
    about: "Messages you composed. Recipient and subject are erased once a message is sent, fails or is cancelled.",
    rows: (source) =>
      ownedRows(source, "email_job", (row) => ({
        ...clearRow(source, "email_job", row),
        deletionDate: endOfJob(row as unknown as EndingJob),
      })),
  },
  delivery: {
    about: "Deliveries in the queue: where each goes and how often it was tried.",
    rows: (source) =>
      ownedRows(source, "delivery", (row) => ({
        ...clearRow(source, "delivery", row),
        deletionDate: withMail,
      })),
  },
  message: {
    about: "Queued mail: envelope, size and times. Its text is sealed beside it and not repeated here.",
    rows: messageRows,
  },
  message_chunk: {
    about: "The sealed text of queued mail on PostgreSQL, as sizes. Elsewhere it lies in files.",
    rows: chunkRows,
  },
  reply_path: {
    about: "Reply addresses, as counts by alias. Who stands behind one only the address itself can tell.",
    rows: replyPathRows,
  },
  one_time_token: {
    about: "Links and challenges sent out for you. Their secrets are kept as hashes, which are not here.",
    rows: tokenRows,
  },
  notice: {
    about: "Notices in your dashboard.",
    rows: (source) =>
      ownedRows(source, "notice", (row) => ({
        ...clearRow(source, "notice", row),
        deletionDate: keptUntil("notice", row.created_at as Date).toISOString(),
      })),
  },
  rate_limit: {
    about:
      "Counts for limits, found by keyed hash of your account, e-mail, SMTP user names and mailboxes. They outlive the account. What is counted by your network or browser too can't be found without those.",
    rows: rateLimitRows,
  },
  released_address: {
    about:
      "Addresses you gave up, held for you. Kept as keyed hashes only, so they can't be named. They outlive the account.",
    rows: releasedRows,
  },
  blocked_mailbox: {
    about: "Mailboxes among your destinations whose reader wants no mail from this server, kept as keyed hashes.",
    rows: blockedRows,
  },
  missing_mailbox: {
    about:
      "Mailboxes that refused your mail as not existing, and those suspended for it. Kept by keyed hash: named while an alias leads there.",
    rows: missingRows,
  },
  counter: { about: "Totals of the whole server; nothing of an account." },
  server_key: { about: "The server's own keys; nothing of an account." },
  schema_migration: { about: "The database's version; nothing of an account." },
};

export function accountExportStore(context: StoreContext): AccountExportStore {
  return { read: (userId) => readAccount(context, userId) };
}

async function readAccount(context: StoreContext, userId: string): Promise<ExportedTables | null> {
  const source: Source = { ...context, userId, addresses: new Map(), mailboxes: new Map() };
  const known = context.db.selectFrom("user").select("id").where("id", "=", userId);
  if ((await known.executeTakeFirst()) === undefined) return null;
  const exported = Object.entries(tables).map(([name, { about, rows = nothing }]): [string, ExportedTable] => {
    return [name, { about, rows: rows(source) }];
  });
  return Object.fromEntries(exported);
}

async function* nothing(): Pages {}

async function* userRow(source: Source): Pages {
  const rows = await source.db.selectFrom("user").selectAll().where("id", "=", source.userId).execute();
  yield rows.map((row) => {
    const { passwordHash, ...clear } = clearRow(source, "user", { ...row });
    return { ...clear, hasPassword: passwordHash !== null, deletionDate: "when you delete the account" };
  });
}

function aliasRows(source: Source): Pages {
  const { keys, addresses, mailboxes } = source;
  return ownedRows(source, "alias", (row) => {
    const { replyKey: _, ...clear } = clearRow(source, "alias", row);
    const { name, domain, destinations, lastDestinations } = clear as unknown as AliasDocument;
    addresses.set(String(row.id), `${name}@${domain}`);
    for (const it of [...destinations, ...lastDestinations])
      if (it.kind === "mailbox") mailboxes.set(mailboxIndex(keys, it.address).toString("hex"), it.address);
    return { ...clear, deletionDate: "when you delete it, or with the account" };
  });
}

async function* sessionRows(source: Source): Pages {
  const mine = source.db.selectFrom("session").where("user_id", "=", source.userId);
  const rows = await mine.select(["id", "created_at", "last_seen_at", "sealed"]).execute();
  yield rows.map((row) => ({
    ...clearRow(source, "session", row),
    deletionDate: endOfSession(row).toISOString(),
  }));
}

function endOfSession({ created_at, last_seen_at }: Pick<SessionTable, "created_at" | "last_seen_at">): Date {
  const [idle, whole] = [keptUntil("idleLoginSession", last_seen_at), keptUntil("loginSession", created_at)];
  return idle < whole ? idle : whole;
}

interface EndingJob {
  status: EmailJobStatus;
  updated_at: Date;
}

function endOfJob({ status, updated_at }: EndingJob): string {
  const ended = isEnd(status);
  return ended
    ? keptUntil("endedEmailJob", updated_at).toISOString()
    : `${retentionDays.technicalLogs} days after it ended, or with the account`;
}

function destinationRows(source: Source): Pages {
  return ownedRows(source, "destination", (row) => ({
    ...clearRow(source, "destination", row),
    mailbox: source.mailboxes.get((row.mailbox_index as Buffer).toString("hex")) ?? null,
    deletionDate: withAccount,
  }));
}

const ownMessages = ({ db, userId }: Source) =>
  db.selectFrom("delivery").select("message_id").where("user_id", "=", userId);

function messageRows(source: Source): Pages {
  return inPages({
    page: (after, limit) => {
      const mine = source.db.selectFrom("message").selectAll().where("id", "in", ownMessages(source));
      return mine.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    show: (row) => ({ ...clearRow(source, "message", { ...row }), deletionDate: withMail }),
  });
}

async function* chunkRows(source: Source): Pages {
  const rows = await source.db
    .selectFrom("message_chunk")
    .select(["message_id", (row) => row.fn.countAll<number>().as("chunks")])
    .select(sql<number>`sum(length(sealed))::bigint`.as("sealed_bytes"))
    .where("message_id", "in", ownMessages(source))
    .groupBy("message_id")
    .execute();
  yield rows.map(({ message_id, chunks, sealed_bytes }) => ({
    ...{ messageId: message_id, chunks, sealedBytes: sealed_bytes },
    deletionDate: withMail,
  }));
}

async function* replyPathRows({ db, userId, addresses }: Source): Pages {
  const rows = await db
    .selectFrom("reply_path")
    .innerJoin("alias", "alias.id", "reply_path.alias_id")
    .select(["alias.id", (row) => row.fn.countAll<number>().as("count")])
    .where("alias.user_id", "=", userId)
    .groupBy("alias.id")
    .execute();
  yield rows.map(({ id, count }) => ({
    ...{ aliasId: id, alias: addresses.get(id) ?? null, replyAddresses: count },
    deletionDate: withAlias,
  }));
}

async function* tokenRows(source: Source): Pages {
  const rows = await source.db.selectFrom("one_time_token").selectAll().where("user_id", "=", source.userId).execute();
  yield rows.map((row) => ({
    ...clearRow(source, "one_time_token", { ...row, id: row.token_hash.toString("hex") }),
    deletionDate: row.expires_at.toISOString(),
  }));
}

/** What the account's counts can hang on, and how the file names it; by network address they can't be found. */
async function limitSubjects({ keys, db, userId, addresses, mailboxes }: Source): Promise<[RateLimitKey, string][]> {
  const row = await db.selectFrom("user").select("sealed").where("id", "=", userId).executeTakeFirst();
  const email = row === undefined ? null : keys.open<{ email: string | null }>("user", userId, row.sealed).email;
  return [
    [{ userId }, "this account"],
    ...(email === null ? [] : spellings(email).map((key) => named(key, email))),
    ...[...addresses.values()].map((address) => named(address.toLowerCase(), address)),
    ...[...mailboxes.values()].map((address) => named(sameMailbox(address), address)),
  ];
}

/** As sign-ins count an e-mail, and as messages to its mailbox are counted. */
const spellings = (email: string) => [
  ...new Set([email.normalize("NFC").toLowerCase(), sameMailbox(email), spellingOfMailbox(email)]),
];

type RateLimitKey = Parameters<typeof rateLimitSubject>[1];
const named = (key: string, shown: string): [RateLimitKey, string] => [{ key }, shown];

const SUBJECTS_AT_ONCE = 200;

async function* rateLimitRows(source: Source): Pages {
  const subjects = await limitSubjects(source);
  for (let from = 0; from < subjects.length; from += SUBJECTS_AT_ONCE) {
    const some = new Map(
      subjects
        .slice(from, from + SUBJECTS_AT_ONCE)
        .map(([key, shown]) => [rateLimitSubject(source.keys, key).toString("hex"), shown]),
    );
    const indexes = [...some.keys()].map((it) => Buffer.from(it, "hex"));
    const rows = await source.db.selectFrom("rate_limit").selectAll().where("subject_index", "in", indexes).execute();
    yield rows.map(({ action_type, count, window_start, last_action, subject_index }) => ({
      ...{ actionType: action_type, subject: some.get(subject_index.toString("hex")) },
      ...{ count, windowStart: window_start, lastAction: last_action },
      deletionDate: keptUntil("rateLimit", window_start).toISOString(),
    }));
  }
}

async function* releasedRows({ db, keys, userId }: Source): Pages {
  const rows = await db
    .selectFrom("released_address")
    .select("until")
    .where("former_user_index", "=", formerUserIndex(keys, userId))
    .execute();
  yield rows.map(({ until }) => ({ address: null, deletionDate: until.toISOString() }));
}

async function* missingRows({ db, keys, userId, mailboxes }: Source): Pages {
  const rows = await db.selectFrom("missing_mailbox").selectAll().where("user_id", "=", userId).execute();
  if (rows.length === 0) return;
  const named = new Map([...mailboxes.values()].map((it) => [missingMailboxIndex(keys, it).toString("hex"), it]));
  yield rows.map((row) => ({
    mailbox: named.get(row.mailbox_index.toString("hex")) ?? null,
    ...{ refusals: row.refusals, firstAt: row.first_at, lastAt: row.last_at, suspendedAt: row.suspended_at },
    deletionDate: row.suspended_at === null ? keptUntil("missingMailbox", row.last_at).toISOString() : withAccount,
  }));
}

async function* blockedRows({ db, userId, mailboxes }: Source): Pages {
  const rows: (AnyRow & { mailbox_index: Buffer; created_at: Date })[] = await db
    .selectFrom("blocked_mailbox")
    .innerJoin("destination", "destination.mailbox_index", "blocked_mailbox.mailbox_index")
    .select(["blocked_mailbox.mailbox_index", "blocked_mailbox.created_at"])
    .where("destination.user_id", "=", userId)
    .execute();
  yield rows.map(({ mailbox_index, created_at }) => ({
    ...{ mailbox: mailboxes.get(mailbox_index.toString("hex")) ?? null, createdAt: created_at },
    deletionDate: "when the block is lifted; it is the mailbox' own and not the account's",
  }));
}
