/**
 * Addresses released by deleting or renaming an alias. Until its hold ends, only the former account may take such an
 * address. Address and account are stored as keyed hashes, so that the rows of a deleted account reveal nothing.
 */
import { AppError } from "../../../core/app-error.ts";
import { keptUntil } from "../../../core/retention/kept-for.ts";
import type { InTransaction } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import { anyOfBytes } from "../any-of.ts";

/** Rows inserted per statement, well below the limit of 65,535 parameters. */
const ROWS_AT_ONCE = 1000;

export interface ReleasedAddresses {
  hold(trx: InTransaction, addressIndex: Buffer, formerUserId: string): Promise<void>;
  /** Holds the addresses of an account's aliases when the account is about to be deleted. */
  holdAll(trx: InTransaction, addressIndexes: readonly Buffer[], formerUserId: string): Promise<void>;
  /**
   * Checks that the account may take a released address, and removes the hold on it. Call it after the row with the
   * address was inserted: the unique index has then waited for a concurrent transaction with the same address.
   * @throws AppError `alias_released`
   */
  claim(trx: InTransaction, addressIndex: Buffer, userId: string): Promise<void>;
  /**
   * As `claim`, for many addresses at once.
   * @returns hashes in hex: `refused` of the addresses that are held for another account, whose hold stays; `reclaimed`
   * of those that were held for this one
   */
  claimAll(
    trx: InTransaction,
    addressIndexes: readonly Buffer[],
    userId: string,
  ): Promise<{ refused: Set<string>; reclaimed: Set<string> }>;
  /** Whether `claim` would let the account take the address. */
  mayTake(addressIndex: Buffer, userId: string): Promise<boolean>;
  deleteEnded(now: Date): Promise<number>;
}

export function formerUserIndex(keys: ServerKeys, userId: string): Buffer {
  return keys.hmac("abuse", `former user\0${userId}`);
}

export function releasedAddresses({ db, keys, clock }: StoreContext): ReleasedAddresses {
  const userIndex = (userId: string) => formerUserIndex(keys, userId);
  const until = () => keptUntil("releasedAddress", clock.now());
  const hold = async (trx: InTransaction, addressIndexes: readonly Buffer[], formerUserId: string) => {
    const row = { former_user_index: userIndex(formerUserId), until: until() };
    await trx
      .insertInto("released_address")
      .values(addressIndexes.map((address_index) => ({ address_index, ...row })))
      .onConflict((conflict) => conflict.column("address_index").doUpdateSet(row))
      .execute();
  };
  return {
    hold: (trx, addressIndex, formerUserId) => hold(trx, [addressIndex], formerUserId),
    holdAll: async (trx, addressIndexes, formerUserId) => {
      for (let from = 0; from < addressIndexes.length; from += ROWS_AT_ONCE)
        await hold(trx, addressIndexes.slice(from, from + ROWS_AT_ONCE), formerUserId);
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
    claimAll: async (trx, addressIndexes, userId) => {
      if (addressIndexes.length === 0) return { refused: new Set(), reclaimed: new Set() };
      const held = await trx
        .selectFrom("released_address")
        .select(["address_index", "former_user_index", "until"])
        .where("address_index", "=", anyOfBytes(addressIndexes))
        .execute();
      const { own = [], others = [] } = Object.groupBy(
        held.filter((row) => row.until > clock.now()),
        (row) => (row.former_user_index.equals(userIndex(userId)) ? "own" : "others"),
      );
      const free = held.filter((row) => !others.includes(row)).map((row) => row.address_index);
      if (free.length > 0)
        await trx.deleteFrom("released_address").where("address_index", "=", anyOfBytes(free)).execute();
      const hexes = (rows: typeof held) => new Set(rows.map((row) => row.address_index.toString("hex")));
      return { refused: hexes(others), reclaimed: hexes(own) };
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
