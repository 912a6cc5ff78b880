/**
 * Exports everything stored about one account. A new table does not compile without an entry; new columns are exported
 * by themselves, except keyed hashes and values that only the server can use.
 */
import { sql } from "kysely";
import type { AccountExportStore, ExportedTable, ExportedTables } from "../../../core/account-export.ts";
import { keptUntil } from "../../../core/retention.ts";
import type { DB, SessionTable } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import type { AliasDocument } from "../aliases/alias-document.ts";
import { mailboxIndex, missingMailboxIndex } from "../mailboxes/mailboxes.ts";
import { composedTables } from "./export-composed.ts";
import { accountDomainTables } from "./export-domains.ts";
import {
  type AnyRow,
  clearRow,
  clientNumberTables,
  type ExportPages,
  type ExportSource,
  importTables,
  inPages,
  ownedRows,
  providerAliasTable,
  rateLimitRows,
} from "./export-rows.ts";
import { formerUserIndex } from "./released-addresses.ts";

interface TableReader {
  about: string;
  rows?: (source: ExportSource) => ExportPages;
}

const withAccount = "with the account";
const withAlias = "with its alias, or with the account";
const withMail = "when the message is delivered or fails for good, or with the account";

/** Tables in the order of reading: aliases before the tables that show their addresses. */
const tables: Readonly<Record<keyof DB, TableReader>> = {
  user: {
    about:
      "The account. A password is stored as an argon2id hash, and the block of network addresses that it was registered from as a keyed hash; neither is in this file. Nor is the key that your drafts are encrypted with in your browsers: the server has the key and no draft.",
    rows: userRow,
  },
  alias: {
    about:
      "Aliases with their destinations, notes, the names that correspondents see, and webhook secrets. The key that their reply addresses are derived from is left out.",
    rows: aliasRows,
  },
  session: { about: "Sessions. Their tokens are stored as hashes, which are left out.", rows: sessionRows },
  api_key: {
    about: "API keys: name, scopes and the day of the last use. The keys are stored as hashes, which are left out.",
    rows: (source) =>
      ownedRows(source, "api_key", (row) => ({
        ...clearRow(source, "api_key", row),
        deletionDate:
          row.expires_at === null
            ? "when you delete it, or with the account"
            : keptUntil("expiredApiKey", row.expires_at as Date).toISOString(),
      })),
  },
  ...accountDomainTables,
  destination: {
    about:
      "Mailboxes you forward to and whether they were confirmed. Stored as keyed hashes: named only while an alias forwards there.",
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
  ...clientNumberTables,
  encryption_key: {
    about: "Encryption keys. The private key is the stored age file, protected by your master password.",
    rows: (source) =>
      ownedRows(source, "encryption_key", (row) => ({
        ...clearRow(source, "encryption_key", row),
        deletionDate: "when you delete it, or with the account",
      })),
  },
  label: {
    about: "Labels of your aliases. An alias names its labels by their ids.",
    rows: (source) =>
      ownedRows(source, "label", (row) => ({
        ...clearRow(source, "label", row),
        deletionDate: "when you delete it, or with the account",
      })),
  },
  ...importTables,
  ...composedTables,
  delivery: {
    about: "Deliveries in the queue: the destination of each and the number of attempts.",
    rows: (source) =>
      ownedRows(source, "delivery", (row) => ({
        ...clearRow(source, "delivery", row),
        deletionDate: withMail,
      })),
  },
  message: {
    about: "Queued mail: envelope, size and times. The sealed message itself is not included.",
    rows: messageRows,
  },
  message_chunk: {
    about: "Sizes of the sealed text of queued mail on PostgreSQL; the embedded database stores it in files.",
    rows: chunkRows,
  },
  reply_path: {
    about: "Number of reply addresses by alias. The correspondent behind one can only be read with the address itself.",
    rows: replyPathRows,
  },
  bounce_sender: {
    about:
      "Senders of mail to your aliases whose address is too long for a bounce address, so that bounces can be returned to them.",
    rows: bounceSenderRows,
  },
  one_time_token: {
    about: "Links and challenges issued for you. Their secrets are stored as hashes, which are left out.",
    rows: tokenRows,
  },
  sent_answer: {
    about: "Signed messages that you sent as an alias, as keyed hashes, so that nobody can have them sent again.",
    rows: sentAnswerRows,
  },
  notice: {
    about: "Notices in your dashboard.",
    rows: (source) =>
      ownedRows(source, "notice", (row) => ({
        ...clearRow(source, "notice", row),
        deletionDate: keptUntil("notice", row.created_at as Date).toISOString(),
      })),
  },
  checklist: {
    about:
      "Your checklist of sites that have an old address of yours: the site, that address, the new alias, the tick.",
    rows: (source) =>
      ownedRows(source, "checklist", (row) => ({
        ...clearRow(source, "checklist", row),
        deletionDate: "when you delete it, or with the account",
      })),
  },
  rate_limit: {
    about:
      "Counts for rate limits, stored by keyed hash of your account, e-mail, SMTP user names and mailboxes. They outlive the account. Counts that also depend on your network or browser can't be found without those.",
    rows: rateLimitRows,
  },
  released_address: {
    about:
      "Addresses of aliases you deleted or renamed, reserved for you. Stored only as keyed hashes, so they can't be named. They outlive the account.",
    rows: releasedRows,
  },
  blocked_mailbox: {
    about: "Mailboxes among your destinations whose reader wants no mail from this server, stored as keyed hashes.",
    rows: blockedRows,
  },
  mailbox: {
    about:
      "Mailboxes in your list: those you added, and those your aliases forward to, which get a row when the list is first shown.",
    rows: (source) =>
      ownedRows(source, "mailbox", (row) => ({
        ...clearRow(source, "mailbox", row),
        deletionDate: "when you remove it, or with the account",
      })),
  },
  missing_mailbox: {
    about:
      "Mailboxes whose hosts refused your mail because they do not exist, and those suspended for it. Stored as keyed hashes: named only while an alias forwards there.",
    rows: missingRows,
  },
  invitation: {
    about:
      "Invitations to register that are not used yet. One is deleted when an account is created with it, or expires; none belongs to an account.",
  },
  operator_act: {
    about:
      "What you did as an admin of this server in the last 30 days. Acts of other operators belong to none of your data.",
    rows: operatorActRows,
  },
  counter: { about: "Totals of the whole server; nothing of an account." },
  mail_probe: { about: "Proofs of the operator that mail works; nothing of an account." },
  ...providerAliasTable,
  certificate_record: { about: "The server's own certificates; nothing of an account." },
  server_key: { about: "The server's own keys; nothing of an account." },
  schema_migration: { about: "The database's version; nothing of an account." },
};

export function accountExportStore(context: StoreContext): AccountExportStore {
  return { read: (userId) => readAccount(context, userId) };
}

async function readAccount(context: StoreContext, userId: string): Promise<ExportedTables | null> {
  const source: ExportSource = { ...context, userId, addresses: new Map(), mailboxes: new Map() };
  const known = context.db.selectFrom("user").select("id").where("id", "=", userId);
  if ((await known.executeTakeFirst()) === undefined) return null;
  const exported = Object.entries(tables).map(([name, { about, rows = nothing }]): [string, ExportedTable] => {
    return [name, { about, rows: rows(source) }];
  });
  return Object.fromEntries(exported);
}

async function* nothing(): ExportPages {}

async function* userRow(source: ExportSource): ExportPages {
  const rows = await source.db.selectFrom("user").selectAll().where("id", "=", source.userId).execute();
  yield rows.map((row) => {
    const { passwordHash, draftKey, ...clear } = clearRow(source, "user", { ...row });
    const has = { hasPassword: passwordHash !== null, hasDraftKey: draftKey !== undefined };
    return { ...clear, ...has, deletionDate: "when you delete the account" };
  });
}

function aliasRows(source: ExportSource): ExportPages {
  const { keys, addresses, mailboxes } = source;
  return ownedRows(source, "alias", (row) => {
    const { replyKey: _, ...clear } = clearRow(source, "alias", row);
    const { name, domain, destinations, lastDestinations } = clear as unknown as AliasDocument;
    addresses.set(String(row.id), `${name}@${domain}`);
    for (const destination of [...destinations, ...lastDestinations])
      if (destination.kind === "mailbox")
        mailboxes.set(mailboxIndex(keys, destination.address).toString("hex"), destination.address);
    const deletionDate = (row.delete_at as Date | null)?.toISOString() ?? "when you delete it, or with the account";
    return { ...clear, deletionDate };
  });
}

async function* sessionRows(source: ExportSource): ExportPages {
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

function destinationRows(source: ExportSource): ExportPages {
  return ownedRows(source, "destination", (row) => ({
    ...clearRow(source, "destination", row),
    mailbox: source.mailboxes.get((row.mailbox_index as Buffer).toString("hex")) ?? null,
    deletionDate: withAccount,
  }));
}

const ownMessages = ({ db, userId }: ExportSource) =>
  db.selectFrom("delivery").select("message_id").where("user_id", "=", userId);

function messageRows(source: ExportSource): ExportPages {
  return inPages({
    page: (after, limit) => {
      const mine = source.db.selectFrom("message").selectAll().where("id", "in", ownMessages(source));
      return mine.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    show: (row) => ({ ...clearRow(source, "message", { ...row }), deletionDate: withMail }),
  });
}

async function* chunkRows(source: ExportSource): ExportPages {
  const rows = await source.db
    .selectFrom("message_chunk")
    .select(["message_id", (row) => row.fn.countAll<number>().as("chunks")])
    .select(sql<number>`sum(length(sealed))::bigint`.as("sealed_bytes"))
    .where("message_id", "in", ownMessages(source))
    .groupBy("message_id")
    .execute();
  yield rows.map(({ message_id, chunks, sealed_bytes }) => ({
    messageId: message_id,
    chunks,
    sealedBytes: sealed_bytes,
    deletionDate: withMail,
  }));
}

async function* replyPathRows({ db, userId, addresses }: ExportSource): ExportPages {
  const rows = await db
    .selectFrom("reply_path")
    .innerJoin("alias", "alias.id", "reply_path.alias_id")
    .select(["alias.id", (row) => row.fn.countAll<number>().as("count")])
    .where("alias.user_id", "=", userId)
    .groupBy("alias.id")
    .execute();
  yield rows.map(({ id, count }) => ({
    aliasId: id,
    alias: addresses.get(id) ?? null,
    replyAddresses: count,
    deletionDate: withAlias,
  }));
}

function bounceSenderRows({ db, keys, userId, addresses }: ExportSource): ExportPages {
  return inPages({
    page: async (after, limit) => {
      const rows = await db
        .selectFrom("bounce_sender")
        .innerJoin("alias", "alias.id", "bounce_sender.alias_id")
        .select(["alias_id", "token", "expires_on", "bounce_sender.sealed"])
        .where("alias.user_id", "=", userId)
        .where("token", ">", Buffer.from(after.replaceAll("-", ""), "hex"))
        .orderBy("token")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, id: row.token.toString("hex") }));
    },
    show: ({ id, alias_id, expires_on, sealed }) => ({
      aliasId: alias_id,
      alias: addresses.get(alias_id) ?? null,
      ...keys.open<AnyRow>("bounce_sender", id, sealed),
      deletionDate: new Date(expires_on).toISOString(),
    }),
  });
}

async function* tokenRows(source: ExportSource): ExportPages {
  const rows = await source.db.selectFrom("one_time_token").selectAll().where("user_id", "=", source.userId).execute();
  yield rows.map((row) => ({
    ...clearRow(source, "one_time_token", { ...row, id: row.token_hash.toString("hex") }),
    deletionDate: row.expires_at.toISOString(),
  }));
}

function operatorActRows(source: ExportSource): ExportPages {
  return inPages({
    page: (after, limit) => {
      const mine = source.db.selectFrom("operator_act").selectAll().where("by", "=", source.userId);
      return mine.where("id", ">", after).orderBy("id").limit(limit).execute();
    },
    show: (row) => ({
      ...clearRow(source, "operator_act", { ...row }),
      deletionDate: keptUntil("operatorAct", row.at).toISOString(),
    }),
  });
}

async function* sentAnswerRows({ db, userId }: ExportSource): ExportPages {
  const rows = await db.selectFrom("sent_answer").select("ends_at").where("user_id", "=", userId).execute();
  yield rows.map((row) => ({ deletionDate: row.ends_at.toISOString() }));
}

async function* releasedRows({ db, keys, userId }: ExportSource): ExportPages {
  const rows = await db
    .selectFrom("released_address")
    .select("until")
    .where("former_user_index", "=", formerUserIndex(keys, userId))
    .execute();
  yield rows.map(({ until }) => ({ address: null, deletionDate: until.toISOString() }));
}

async function* missingRows({ db, keys, userId, mailboxes }: ExportSource): ExportPages {
  const rows = await db.selectFrom("missing_mailbox").selectAll().where("user_id", "=", userId).execute();
  if (rows.length === 0) return;
  const named = new Map(
    [...mailboxes.values()].map((address) => [missingMailboxIndex(keys, address).toString("hex"), address]),
  );
  yield rows.map((row) => ({
    mailbox: named.get(row.mailbox_index.toString("hex")) ?? null,
    refusals: row.refusals,
    firstAt: row.first_at,
    lastAt: row.last_at,
    suspendedAt: row.suspended_at,
    deletionDate: row.suspended_at === null ? keptUntil("missingMailbox", row.last_at).toISOString() : withAccount,
  }));
}

async function* blockedRows({ db, userId, mailboxes }: ExportSource): ExportPages {
  const rows: (AnyRow & { mailbox_index: Buffer; created_at: Date })[] = await db
    .selectFrom("blocked_mailbox")
    .innerJoin("destination", "destination.mailbox_index", "blocked_mailbox.mailbox_index")
    .select(["blocked_mailbox.mailbox_index", "blocked_mailbox.created_at"])
    .where("destination.user_id", "=", userId)
    .execute();
  yield rows.map(({ mailbox_index, created_at }) => ({
    mailbox: mailboxes.get(mailbox_index.toString("hex")) ?? null,
    createdAt: created_at,
    deletionDate: "when the block is lifted; it belongs to the mailbox, not to the account",
  }));
}
