/** Rate limit counts in an account's export. */
import type { ExportedRow } from "../../../core/account-export.ts";
import { sameMailbox, spellingOfMailbox } from "../../../core/destination/same-mailbox.ts";
import { keptUntil } from "../../../core/retention.ts";
import type { StoreContext } from "../../store-context.ts";
import { rateLimitSubject } from "../rate-limits.ts";

interface Source extends StoreContext {
  userId: string;
  /** Addresses of the account's aliases, by alias id. */
  addresses: ReadonlyMap<string, string>;
  /** Addresses of the account's destination mailboxes, by keyed hash of the address. */
  mailboxes: ReadonlyMap<string, string>;
}

type Pages = AsyncIterable<ExportedRow[]>;

/**
 * Subjects whose requests are counted for the account's rate limits, each with its name in the export file. Counts by
 * network address are not linked to accounts, so they are missing.
 */
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

/** The spellings of an e-mail address under which sign-ins and messages to its mailbox are counted. */
const spellings = (email: string) => [
  ...new Set([email.normalize("NFC").toLowerCase(), sameMailbox(email), spellingOfMailbox(email)]),
];

type RateLimitKey = Parameters<typeof rateLimitSubject>[1];
const named = (key: string, shown: string): [RateLimitKey, string] => [{ key }, shown];

const SUBJECTS_AT_ONCE = 200;

export async function* rateLimitRows(source: Source): Pages {
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
      actionType: action_type,
      subject: some.get(subject_index.toString("hex")),
      count,
      windowStart: window_start,
      lastAction: last_action,
      deletionDate: keptUntil("rateLimit", window_start).toISOString(),
    }));
  }
}
