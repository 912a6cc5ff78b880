/** The state of each account and mailbox, by keyed hash. A block concerns all accounts: set under the mailbox' lock. */

import { randomUUID } from "node:crypto";
import type { ConfirmationChoice } from "@kauke/contract";
import { sql } from "kysely";
import { decideAsk, stateAfter } from "../../../core/destination/confirmation.ts";
import type {
  AskDecision,
  AskInput,
  DecidedByLink,
  DestinationStore,
  KnownState,
  Pair,
} from "../../../core/destination/destination.ts";
import { mapInSlices } from "../../../runtime/fair-queue/slices.ts";
import { latestKnown } from "../../../runtime/ports.ts";
import type { InTransaction } from "../../database.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { openUserDocument } from "../accounts/user-document.ts";
import type { AliasDocument } from "../aliases/alias-document.ts";
import { dropRoutes } from "../aliases/alias-routes.ts";
import { tokenId } from "../one-time-tokens.ts";
import { anyOfBytes } from "../sql-parts.ts";
import { isSharedDomain, mailboxIndex, mailDomainIndex } from "./mailboxes.ts";

interface PairDocument {
  askedAt: string[];
}

interface LinkDocument {
  destinationId: string;
  address?: string;
}

const LINK_KIND = "confirm";

/** Looking up this many mailboxes takes some 10 ms of the embedded database's event loop. */
const STATES_AT_ONCE = 500;

export function destinationStore(context: StoreContext): DestinationStore {
  const { db, keys } = context;
  const ofUser = db.selectFrom("destination").select(["mailbox_index", "state"]).where("user_id", "=", "");
  const pairsAmong = preparedQuery(db, ofUser.where("mailbox_index", "=", anyOfBytes([])).compile());
  const userById = preparedQuery(db, mailboxOfUser(db, "").compile());
  return {
    states: async (userId, addresses) => {
      const byAddress = await mapInSlices(
        addresses,
        (address) => [address, mailboxIndex(keys, address).toString("hex")] as const,
      );
      if (byAddress.length === 0) return new Map();
      const states = new Map<string, KnownState>();
      for (let from = 0; from < byAddress.length; from += STATES_AT_ONCE) {
        const indexes = byAddress.slice(from, from + STATES_AT_ONCE).map(([, index]) => index);
        for (const row of await pairsAmong([userId, indexes])) states.set(row.mailbox_index.toString("hex"), row.state);
      }
      const own = provenMailbox(keys, (await userById([userId]))[0]);
      if (own !== null && isOpen(states.get(own.toString("hex")))) states.set(own.toString("hex"), "confirmed");
      return new Map(byAddress.map(([address, index]) => [address, states.get(index) ?? "new"] as const));
    },
    isAnyBlocked: async (addresses) => {
      const indexes = addresses.map((address) => mailboxIndex(keys, address));
      const query = db.selectFrom("blocked_mailbox").select("created_at").where("mailbox_index", "in", indexes);
      return (await query.limit(1).executeTakeFirst()) !== undefined;
    },
    blockedAmong: async (addresses) => {
      if (addresses.length === 0) return new Set();
      const indexes = addresses.map((address) => mailboxIndex(keys, address));
      const query = db.selectFrom("blocked_mailbox").select("mailbox_index");
      const rows = await query.where("mailbox_index", "in", indexes).execute();
      const blocked = new Set(rows.map((row) => row.mailbox_index.toString("hex")));
      return new Set(addresses.filter((_, place) => blocked.has(indexes[place]?.toString("hex") ?? "")));
    },
    isSharedDomain: (domain) => isSharedDomain(context, domain),
    ask: (input) => ask(context, input),
    takeBackAsk: (input) => takeBackAsk(context, input),
    readLink: async (tokenHash) => {
      const link = await findLink(context, tokenHash);
      return link === null ? null : { state: link.state, userId: link.user_id, address: link.address };
    },
    decideByLink: (tokenHash, choice) => decideByLink(context, tokenHash, choice),
  };
}

async function ask(context: StoreContext, input: AskInput): Promise<AskDecision> {
  const { keys, clock } = context;
  const index = mailboxIndex(keys, input.address);
  return changeAndDropRoutes<AskDecision>(context, async (trx) => {
    // One decision at a time per account, so that its unconfirmed mailboxes are counted right.
    const { userId } = input;
    const user = trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate();
    if ((await user.executeTakeFirst()) === undefined)
      return { result: { kind: "known", state: "refused" }, changed: [] };
    await lockMailbox(trx, index);
    const known = await lockPair(trx, input.userId, index);
    if (known === undefined && (await isBlocked(trx, index))) {
      await insertPair(context, trx, { ...input, index, state: "blocked", askedAt: [] });
      return { result: { kind: "known", state: "blocked" }, changed: [userId] };
    }
    const owner = isOpen(known?.state) ? await mailboxOfUser(trx, userId).executeTakeFirst() : undefined;
    if (provenMailbox(keys, owner)?.equals(index)) {
      const pair = { userId, index, address: input.address, id: known?.id ?? input.id };
      await confirmPair(context, trx, { ...pair, isKnown: known !== undefined });
      return { result: { kind: "known", state: "confirmed" }, changed: [userId] };
    }
    const askedAt = known === undefined ? [] : openPair(keys, known).askedAt;
    const now = clock.now();
    const pair = {
      state: known?.state ?? ("new" as const),
      askedAt: askedAt.map((time) => new Date(time)),
      waiting: await countWaiting(trx, userId),
    };
    const result = decideAsk(pair, { now, isByOwner: input.isByOwner });
    if (result.kind !== "ask") return { result, changed: [] };
    const next = [...askedAt, now.toISOString()];
    if (known === undefined) await insertPair(context, trx, { ...input, index, state: "asked", askedAt: next });
    else await sealPair(context, trx, known.id, next);
    await insertLink(context, trx, { ...input, destinationId: known?.id ?? input.id });
    return { result, changed: known === undefined ? [userId] : [], isForwardingSame: true };
  });

  async function countWaiting(trx: InTransaction, userId: string): Promise<number> {
    const row = await trx
      .selectFrom("destination")
      .select((row) => row.fn.countAll<number>().as("count"))
      .where("user_id", "=", userId)
      .where("state", "=", "asked")
      .executeTakeFirstOrThrow();
    return row.count;
  }
}

const isOpen = (state: KnownState | undefined): boolean => state === undefined || state === "asked";

/** The account's confirmed e-mail, which as a destination needs no further confirmation; otherwise null. */
function provenMailbox(keys: ServerKeys, row: MailboxRow | undefined): Buffer | null {
  if (row === undefined) return null;
  const { email, emailConfirmedAt } = openUserDocument(keys, row);
  return email === null || emailConfirmedAt === undefined ? null : mailboxIndex(keys, email);
}

type MailboxRow = Parameters<typeof openUserDocument>[1];

function mailboxOfUser(db: StoreContext["db"] | InTransaction, userId: string) {
  return db.selectFrom("user").select(["id", "sealed", "auth_method", "created_at"]).where("id", "=", userId);
}

interface ProvenPair {
  userId: string;
  id: string;
  index: Buffer;
  address: string;
  isKnown: boolean;
}

async function confirmPair(context: StoreContext, trx: InTransaction, pair: ProvenPair): Promise<void> {
  if (!pair.isKnown) await insertPair(context, trx, { ...pair, state: "asked", askedAt: [] });
  const confirmed = { state: "confirmed", confirmed_at: context.clock.now() } as const;
  await trx.updateTable("destination").set(confirmed).where("id", "=", pair.id).execute();
}

/** Confirms the account's own mailbox unless refused or blocked. @returns whether the caller has to drop routes */
export async function confirmOwnMailbox(
  context: StoreContext,
  trx: InTransaction,
  { userId, email }: { userId: string; email: string | null },
): Promise<boolean> {
  if (email === null) return false;
  const index = mailboxIndex(context.keys, email);
  await lockMailbox(trx, index);
  const known = await lockPair(trx, userId, index);
  if (!isOpen(known?.state) || (await isBlocked(trx, index))) return false;
  const pair = { userId, index, address: email, id: known?.id ?? randomUUID() };
  await confirmPair(context, trx, { ...pair, isKnown: known !== undefined });
  return true;
}

/**
 * Mailboxes are confirmed in the order of their hashes, so that two accounts can't deadlock.
 * @returns drops cached routes after the commit
 */
export async function confirmOwnMailboxes(
  context: StoreContext,
  trx: InTransaction,
  { userId, emails }: { userId: string; emails: readonly string[] },
): Promise<() => Promise<void>> {
  const inOrder = emails.toSorted((a, b) =>
    Buffer.compare(mailboxIndex(context.keys, a), mailboxIndex(context.keys, b)),
  );
  let isConfirmed = false;
  for (const email of inOrder) isConfirmed = (await confirmOwnMailbox(context, trx, { userId, email })) || isConfirmed;
  return dropRoutes(context.signals, trx, { userIds: isConfirmed ? [userId] : [] });
}

async function takeBackAsk(context: StoreContext, input: AskInput): Promise<void> {
  const index = mailboxIndex(context.keys, input.address);
  await changeAndDropRoutes(context, async (trx) => {
    const known = await lockPair(trx, input.userId, index);
    await trx.deleteFrom("one_time_token").where("token_hash", "=", input.tokenHash).execute();
    if (known === undefined) return { result: undefined, changed: [] };
    const askedAt = openPair(context.keys, known).askedAt.slice(0, -1);
    if (askedAt.length > 0) await sealPair(context, trx, known.id, askedAt);
    else await trx.deleteFrom("destination").where("id", "=", known.id).execute();
    return { result: undefined, changed: askedAt.length > 0 ? [] : [input.userId], isForwardingSame: true };
  });
}

async function decideByLink(
  context: StoreContext,
  tokenHash: Buffer,
  choice: ConfirmationChoice,
): Promise<DecidedByLink | null> {
  const link = await findLink(context, tokenHash);
  if (link === null) return null;
  return changeAndDropRoutes<DecidedByLink | null>(context, async (trx) => {
    await lockMailbox(trx, link.mailbox_index);
    const pairs = await lockPairs(trx, link, choice);
    const own = pairs.find((pair) => pair.id === link.id);
    if (own === undefined) return { result: null, changed: [] };
    if (choice === "block") {
      const row = { mailbox_index: link.mailbox_index, created_at: context.clock.now() };
      await trx
        .insertInto("blocked_mailbox")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    const changed = pairs.filter((pair) => pair.state !== stateAfter(pair.state, choice));
    const ended = [];
    for (const pair of changed) {
      const state = stateAfter(pair.state, choice);
      const confirmed_at = state === "confirmed" ? context.clock.now() : null;
      await trx.updateTable("destination").set({ state, confirmed_at }).where("id", "=", pair.id).execute();
      if (state === "confirmed" || pair.state === "refused") continue;
      ended.push({ userId: pair.user_id, address: await spellingOf(context, trx, pair) });
    }
    const result = { state: stateAfter(own.state, choice), ended };
    return { result, changed: changed.map((pair) => pair.user_id) };
  });
}

/** Locks pairs of account and mailbox in the order of ids: all accounts for a block, else the link's account. */
function lockPairs(
  trx: InTransaction,
  { id, mailbox_index }: { id: string; mailbox_index: Buffer },
  choice: ConfirmationChoice,
) {
  const query = trx.selectFrom("destination").select(["id", "user_id", "state", "mailbox_index"]);
  const chosen = choice === "block" ? query.where("mailbox_index", "=", mailbox_index) : query.where("id", "=", id);
  return chosen.orderBy("id").forUpdate().execute();
}

interface Change<T> {
  result: T;
  /** Accounts whose routes are stale. */
  changed: readonly string[];
  /** Whether mail goes where it went before, e.g. when a mailbox was asked for confirmation. */
  isForwardingSame?: boolean;
}

export async function changeAndDropRoutes<T>(
  { db, signals }: StoreContext,
  work: (trx: InTransaction) => Promise<Change<T>>,
): Promise<T> {
  const { result, notifyRoutes } = await db.transaction().execute(async (trx) => {
    const { result, changed, isForwardingSame = false } = await work(trx);
    return { result, notifyRoutes: await dropRoutes(signals, trx, { userIds: changed, isForwardingSame }) };
  });
  await notifyRoutes();
  return result;
}

/** The mailbox as an alias spells it. Opens all documents of the account, which is rarely needed. */
async function spellingOf(
  { keys }: StoreContext,
  trx: InTransaction,
  { user_id, mailbox_index }: { user_id: string; mailbox_index: Buffer },
): Promise<string | null> {
  const rows = await trx.selectFrom("alias").select(["id", "sealed"]).where("user_id", "=", user_id).execute();
  for (const row of rows) {
    const { destinations, lastDestinations } = keys.open<AliasDocument>("alias", row.id, row.sealed);
    for (const destination of [...destinations, ...lastDestinations]) {
      if (destination.kind === "mailbox" && mailboxIndex(keys, destination.address).equals(mailbox_index))
        return destination.address;
    }
  }
  return null;
}

export async function lockMailbox(trx: InTransaction, index: Buffer): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${index.readBigInt64BE(0).toString()}::bigint)`.execute(trx);
}

function lockPair(trx: InTransaction, userId: string, index: Buffer) {
  return trx
    .selectFrom("destination")
    .select(["id", "state", "sealed"])
    .where("user_id", "=", userId)
    .where("mailbox_index", "=", index)
    .forUpdate()
    .executeTakeFirst();
}

async function isBlocked(trx: InTransaction, index: Buffer): Promise<boolean> {
  const query = trx.selectFrom("blocked_mailbox").select("created_at").where("mailbox_index", "=", index);
  return (await query.executeTakeFirst()) !== undefined;
}

const openPair = (keys: ServerKeys, row: { id: string; sealed: Buffer }) =>
  keys.open<PairDocument>("destination", row.id, row.sealed);

interface NewPair extends Pick<Pair, "userId"> {
  id: string;
  index: Buffer;
  address: string;
  state: KnownState;
  askedAt: string[];
}

async function insertPair({ keys, clock }: StoreContext, trx: InTransaction, pair: NewPair): Promise<void> {
  const { id, userId, index, address, state, askedAt } = pair;
  const document: PairDocument = { askedAt };
  const plain = { id, user_id: userId, mailbox_index: index, state, created_at: clock.now(), confirmed_at: null };
  await trx
    .insertInto("destination")
    .values({ ...plain, domain_index: mailDomainIndex(keys, address), sealed: keys.seal("destination", id, document) })
    .execute();
}

async function sealPair({ keys }: StoreContext, trx: InTransaction, id: string, askedAt: string[]): Promise<void> {
  const document: PairDocument = { askedAt };
  await trx
    .updateTable("destination")
    .set({ sealed: keys.seal("destination", id, document) })
    .where("id", "=", id)
    .execute();
}

async function insertLink(
  { keys, clock }: StoreContext,
  trx: InTransaction,
  { tokenHash, tokenExpiresAt, userId, address, destinationId }: AskInput & { destinationId: string },
): Promise<void> {
  const document: LinkDocument = { destinationId, address };
  const times = { created_at: clock.now(), expires_at: tokenExpiresAt };
  await trx
    .insertInto("one_time_token")
    .values({
      token_hash: tokenHash,
      kind: LINK_KIND,
      user_id: userId,
      ...times,
      sealed: keys.seal("one_time_token", tokenId(tokenHash), document),
    })
    .execute();
}

/** Finds a link without using it up: until it expires the reader may choose again. */
async function findLink({ db, keys, clock }: StoreContext, tokenHash: Buffer) {
  const link = await db
    .selectFrom("one_time_token")
    .select("sealed")
    .where("token_hash", "=", tokenHash)
    .where("kind", "=", LINK_KIND)
    .where("expires_at", ">", clock.now())
    .where("created_at", "<=", latestKnown(clock.now()))
    .executeTakeFirst();
  if (link === undefined || link.sealed === null) return null;
  const document = keys.open<LinkDocument>("one_time_token", tokenId(tokenHash), link.sealed);
  const query = db.selectFrom("destination").select(["id", "user_id", "state", "mailbox_index"]);
  const pair = await query.where("id", "=", document.destinationId).executeTakeFirst();
  return pair === undefined ? null : { ...pair, address: document.address ?? null };
}
