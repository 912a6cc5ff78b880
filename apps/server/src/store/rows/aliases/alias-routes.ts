import type { ConfirmationState } from "@kauke/contract";
import { sql } from "kysely";
import type { AliasRoute, RouteChange } from "../../../core/alias/alias.ts";
import type { ProvenDomains } from "../../../core/domain/account-domain.ts";
import type { ChangeSignals } from "../../change-signals.ts";
import { groupCalls } from "../../concurrency/group-calls.ts";
import { joinReads } from "../../concurrency/shared-calls.ts";
import type { InTransaction } from "../../database.ts";
import { isOneRowsFault } from "../../database-error.ts";
import { preparedQuery } from "../../prepared-query.ts";
import { SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { openKeyDocument } from "../encryption-keys.ts";
import { mailboxIndex, missingMailboxIndex } from "../mailboxes/mailboxes.ts";
import { lockAliasList } from "../provider-aliases.ts";
import { anyOfByteaText, anyOfIds, byteaArray } from "../sql-parts.ts";
import { type AliasDocument, type MailboxStanding, toRoute } from "./alias-document.ts";

interface RouteRow {
  id: string;
  user_id: string;
  active: boolean;
  fresh: string | null;
  sealed: Buffer;
  pairs: string;
  missing: string;
  registered_from_index: Buffer | null;
  key_id: string | null;
  key_sealed: Buffer | null;
}

const GROUP_MAX = 64;
/** Concurrent queries for routes, above which look-ups are joined. */
const AT_ONCE = { embedded: 1, postgres: 4 };
const KNOWN_MAX = 256;
const KNOWN_MS = 1000;

/** @param proven an alias of another account has no route on a domain that an account has proven since */
export function routeReads({ db, keys, signals }: StoreContext, proven?: Pick<ProvenDomains, "find">) {
  // Mailboxes as `<index in hex>:<state>`, joined by commas. An array costs less than `string_agg`, which aggregates.
  const pairs = sql<string>`array_to_string(ARRAY(SELECT encode(mailbox_index, 'hex') || ':' || state
    FROM destination WHERE destination.user_id = alias.user_id), ',')`.as("pairs");
  // Mailboxes that refused mail as nonexistent, as `<index in hex>:<suspended>`.
  const missing =
    sql<string>`array_to_string(ARRAY(SELECT encode(mailbox_index, 'hex') || ':' || (suspended_at IS NOT NULL)
    FROM missing_mailbox WHERE missing_mailbox.user_id = alias.user_id), ',')`.as("missing");
  const chosenKey = sql<
    string | null
  >`CASE WHEN NOT alias.seal_off THEN coalesce(alias.seal_key_id, "user".seal_key_id) END`;
  const query = db
    .selectFrom("alias")
    .innerJoin("user", "user.id", "alias.user_id")
    .leftJoin("encryption_key", (join) => join.on("encryption_key.id", "=", chosenKey))
    .select(["alias.id", "alias.user_id", "alias.active", "alias.fresh", "alias.sealed", pairs, missing])
    .select("user.registered_from_index")
    .select(["encryption_key.id as key_id", "encryption_key.sealed as key_sealed"]);
  const read = (row: RouteRow | undefined): AliasRoute | null => {
    if (row === undefined) return null;
    const document = keys.open<AliasDocument>("alias", row.id, row.sealed);
    const owner = proven?.find(document.domain) ?? null;
    if (owner !== null && owner.userId !== row.user_id) return null;
    return toRoute(row, document, {
      stateOf: stateOf(keys, row),
      missing: missingOf(keys, row),
      ageRecipient: ageRecipientOf(keys, row),
    });
  };
  const byIndex = preparedQuery<RouteRow>(db, query.where("alias.address_index", "=", Buffer.alloc(0)).compile());
  const byIndexes = preparedQuery<RouteRow & { address_index: Buffer }>(
    db,
    query.select("alias.address_index").where("alias.address_index", "=", anyOfByteaText("{}")).compile(),
  );
  const lookUpByAddress = joinReads({
    most: GROUP_MAX,
    atOnce: signals.isAlone ? AT_ONCE.embedded : AT_ONCE.postgres,
    isOneItemsFault: (error) => error instanceof SealError || isOneRowsFault(error),
    read: async (indexes: readonly Buffer[]): Promise<(AliasRoute | null)[]> => {
      if (indexes.length === 1) return [read((await byIndex([indexes[0]]))[0])];
      const rows = await byIndexes([byteaArray(indexes)]);
      const byText = new Map(rows.map((row) => [row.address_index.toString("latin1"), row]));
      return indexes.map((index) => read(byText.get(index.toString("latin1"))));
    },
  });
  const byIds = preparedQuery<RouteRow>(db, query.where("alias.id", "=", anyOfIds([])).compile());
  const lookUpById = groupCalls({
    most: GROUP_MAX,
    isOneItemsFault: isOneRowsFault,
    run: async (aliasIds: readonly string[]): Promise<(AliasRoute | null)[]> => {
      const rows = await byIds([[...new Set(aliasIds)]]);
      const byId = new Map(rows.map((row) => [row.id, read(row)]));
      return aliasIds.map((aliasId) => byId.get(aliasId) ?? null);
    },
  });
  return {
    byAddress: lookUpByAddress,
    byId: signals.isAlone ? rememberBriefly(lookUpById, signals) : lookUpById,
  };
}

/** Caches routes, dropped before a change is acknowledged; a look-up that overlaps a change is not cached. */
function rememberBriefly(lookUp: (aliasId: string) => Promise<AliasRoute | null>, signals: ChangeSignals) {
  const known = new Map<string, { route: AliasRoute; untilMs: number }>();
  let changes = 0;
  signals.onRouteChange(() => {
    changes++;
    known.clear();
  });
  return async (aliasId: string): Promise<AliasRoute | null> => {
    const found = known.get(aliasId);
    if (found !== undefined && performance.now() < found.untilMs) return found.route;
    const changesBefore = changes;
    const route = await lookUp(aliasId);
    if (route === null || changes !== changesBefore) return route;
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(aliasId, { route, untilMs: performance.now() + KNOWN_MS });
    return route;
  };
}

function readPairs<Value extends string>(text: string): Map<string, Value> {
  return new Map(text.split(",").map((pair) => pair.split(":", 2) as [string, Value]));
}

function stateOf(keys: ServerKeys, { pairs }: RouteRow): MailboxStanding["stateOf"] {
  if (pairs === "") return () => "new";
  const states = readPairs<ConfirmationState>(pairs);
  return (address) => states.get(mailboxIndex(keys, address).toString("hex")) ?? "new";
}

function missingOf(keys: ServerKeys, { missing }: RouteRow): MailboxStanding["missing"] {
  if (missing === "") return null;
  const known = readPairs<"true" | "false">(missing);
  return (address) => {
    const isSuspended = known.get(missingMailboxIndex(keys, address).toString("hex"));
    return isSuspended === undefined ? null : isSuspended === "true" ? "suspended" : "counted";
  };
}

/** Key to encrypt the alias' mail to; `null`: none. @throws SealError: mail is deferred, never sent unencrypted */
function ageRecipientOf(keys: ServerKeys, { key_id, key_sealed }: RouteRow): string | null {
  if (key_id === null || key_sealed === null) return null;
  return openKeyDocument(keys, { id: key_id, sealed: key_sealed }).publicKey;
}

/**
 * Announces stale routes to other processes, and makes the aliases due at the forwarding provider unless
 * `isForwardingSame`. Call it last in the transaction. @returns tells this process, to be called after the commit
 */
export async function dropRoutes(
  signals: ChangeSignals,
  trx: InTransaction,
  { userIds, isForwardingSame = false }: { userIds: readonly string[]; isForwardingSame?: boolean },
): Promise<() => Promise<void>> {
  if (userIds.length === 0) return async () => {};
  const isForProvider = signals.hasProvider && !isForwardingSame;
  if (isForProvider) for (const userId of userIds.toSorted()) await lockAliasList(trx, userId, "change");
  const rows = await trx.selectFrom("alias").select("id").where("user_id", "=", anyOfIds(userIds)).execute();
  const aliasIds = rows.map((row) => row.id);
  await (isForProvider ? signals.announceRoute(trx, aliasIds) : signals.announceStale(trx, aliasIds));
  const changes: RouteChange[] =
    aliasIds.length > 100 ? userIds.map((userId) => ({ userId })) : aliasIds.map((aliasId) => ({ aliasId }));
  return async () => {
    await Promise.all(changes.map((change) => signals.routeChanged(change)));
  };
}
