/** Addresses of deleted and renamed aliases, held for the former account; as keyed hashes, which reveal nothing. */
import { releaseCaps, releaseHasToWait, unusedToReserve } from "../../../core/alias/alias-rules.ts";
import { AppError } from "../../../core/app-error.ts";
import { keptUntil } from "../../../core/retention.ts";
import type { Database, InTransaction } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { type NetworkIndexes, networkIndexes } from "../sign-in/anonymous-tokens.ts";
import { anyOfBytes } from "../sql-parts.ts";

const ROWS_AT_ONCE = 1000;

/** Address of the client that released them, or its keyed hashes; `null` if unknown. */
export type ReleasedFrom = string | NetworkIndexes | null;

export interface Release {
  formerUserId: string;
  network: ReleasedFrom;
  addresses: readonly ReleasedAddress[];
}

export interface ReleasedAddress {
  index: Buffer;
  /** Whether an import made the alias and nobody used it since: its address may be free at once. */
  isUnused: boolean;
}

export interface ReleasedAddresses {
  /** How many used addresses the account may release now; concurrent calls may exceed it by one batch each. */
  room(db: Database | InTransaction, userId: string): Promise<number>;
  /** @throws AppError `rate_limited` when the account may release no address now */
  refuseWithoutRoom(db: Database | InTransaction, userId: string): Promise<void>;
  release(trx: InTransaction, release: Release): Promise<void>;
  /** Claims a released address after its insert, which waits for concurrent ones. @throws AppError `alias_released` */
  claim(trx: InTransaction, addressIndex: Buffer, userId: string): Promise<void>;
  /** Claims many addresses. @returns hashes (hex): `refused` are somebody else's, `reclaimed` were this account's */
  claimAll(
    trx: InTransaction,
    addressIndexes: readonly Buffer[],
    userId: string,
  ): Promise<{ refused: Set<string>; reclaimed: Set<string> }>;
  /** Ends reservations on an own domain, whose names are free to whoever has proven it. */
  drop(trx: InTransaction, addressIndexes: readonly Buffer[]): Promise<void>;
  mayTake(addressIndex: Buffer, userId: string): Promise<boolean>;
  deleteEnded(now: Date): Promise<number>;
}

export function formerUserIndex(keys: ServerKeys, userId: string): Buffer {
  return keys.hmac("abuse", `former user\0${userId}`);
}

export function releasedAddresses(context: StoreContext, caps = releaseCaps): ReleasedAddresses {
  const { db, keys, clock } = context;
  const userIndex = (userId: string) => formerUserIndex(keys, userId);
  return {
    room: async (at, userId) => {
      const held = await countHeld(context, at, { former_user_index: userIndex(userId) });
      return Math.max(0, caps.account - held);
    },
    refuseWithoutRoom: async (at, userId) => {
      const held = at.selectFrom("released_address").select("until").where("until", ">", clock.now());
      const mine = held.where("former_user_index", "=", userIndex(userId)).orderBy("until", "desc");
      const full = await mine
        .offset(caps.account - 1)
        .limit(1)
        .executeTakeFirst();
      if (full !== undefined) throw releaseHasToWait(full.until);
    },
    release: async (trx, release) => {
      const { used = [], unused = [] } = Object.groupBy(release.addresses, (address) =>
        address.isUnused ? "unused" : "used",
      );
      if (unused.length === 0) return hold(context, trx, { ...release, addresses: used });
      const counts = { used: used.length, unused: unused.length };
      const reserved = unusedToReserve(counts, await countReserved(context, trx, release), caps);
      await hold(context, trx, { ...release, addresses: [...used, ...unused.slice(0, reserved)] });
    },
    claim: async (trx, addressIndex, userId) => {
      const held = await trx
        .deleteFrom("released_address")
        .where("address_index", "=", addressIndex)
        .returning(["former_user_index", "until"])
        .executeTakeFirst();
      if (held === undefined || held.until <= clock.now()) return;
      if (!held.former_user_index.equals(userIndex(userId))) throw new AppError("alias_released");
    },
    claimAll: (trx, addressIndexes, userId) => claimAll(context, trx, { addressIndexes, userId }),
    drop: async (trx, indexes) => {
      if (indexes.length === 0) return;
      await trx.deleteFrom("released_address").where("address_index", "=", anyOfBytes(indexes)).execute();
    },
    mayTake: async (addressIndex, userId) => {
      const others = db.selectFrom("released_address").select("until").where("address_index", "=", addressIndex);
      const held = others.where("until", ">", clock.now()).where("former_user_index", "<>", userIndex(userId));
      return (await held.executeTakeFirst()) === undefined;
    },
    deleteEnded: async (now) => {
      const result = await db.deleteFrom("released_address").where("until", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

async function claimAll(
  { keys, clock }: StoreContext,
  trx: InTransaction,
  { addressIndexes, userId }: { addressIndexes: readonly Buffer[]; userId: string },
): Promise<{ refused: Set<string>; reclaimed: Set<string> }> {
  if (addressIndexes.length === 0) return { refused: new Set(), reclaimed: new Set() };
  const held = await trx
    .selectFrom("released_address")
    .select(["address_index", "former_user_index", "until"])
    .where("address_index", "=", anyOfBytes(addressIndexes))
    .execute();
  const { own = [], others = [] } = Object.groupBy(
    held.filter((row) => row.until > clock.now()),
    (row) => (row.former_user_index.equals(formerUserIndex(keys, userId)) ? "own" : "others"),
  );
  const free = held.filter((row) => !others.includes(row)).map((row) => row.address_index);
  if (free.length > 0) await trx.deleteFrom("released_address").where("address_index", "=", anyOfBytes(free)).execute();
  const hexes = (rows: typeof held) => new Set(rows.map((row) => row.address_index.toString("hex")));
  return { refused: hexes(others), reclaimed: hexes(own) };
}

async function hold({ keys, clock }: StoreContext, trx: InTransaction, release: Release): Promise<void> {
  const networks = indexesOf(keys, release.network) ?? unknownNetwork;
  const until = keptUntil("releasedAddress", clock.now());
  const row = { former_user_index: formerUserIndex(keys, release.formerUserId), until, ...networks };
  for (let from = 0; from < release.addresses.length; from += ROWS_AT_ONCE) {
    const some = release.addresses.slice(from, from + ROWS_AT_ONCE);
    await trx
      .insertInto("released_address")
      .values(some.map(({ index }) => ({ address_index: index, ...row })))
      .onConflict((conflict) => conflict.column("address_index").doUpdateSet(row))
      .execute();
  }
}

const indexesOf = (keys: ServerKeys, network: ReleasedFrom): NetworkIndexes | null =>
  typeof network === "string" ? networkIndexes(keys, network) : network;

const unknownNetwork = { network_index: null, block_index: null };

async function countReserved(context: StoreContext, trx: InTransaction, { formerUserId, network }: Release) {
  const { keys } = context;
  const account = await countHeld(context, trx, { former_user_index: formerUserIndex(keys, formerUserId) });
  const indexes = indexesOf(keys, network);
  if (indexes === null) return { account, network: 0, block: 0 };
  const { network_index, block_index } = indexes;
  return {
    account,
    network: await countHeld(context, trx, { network_index }),
    block: await countHeld(context, trx, { block_index }),
  };
}

type Party = { former_user_index: Buffer } | { network_index: Buffer } | { block_index: Buffer };

async function countHeld({ clock }: StoreContext, db: Database | InTransaction, party: Party): Promise<number> {
  const held = db.selectFrom("released_address").where((row) => row.and(party));
  const counted = held.where("until", ">", clock.now()).select((row) => row.fn.countAll<number>().as("count"));
  return (await counted.executeTakeFirstOrThrow()).count;
}
