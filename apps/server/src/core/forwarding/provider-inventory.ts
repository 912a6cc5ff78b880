/** The outbox to the forwarding provider as the operator's commands and the daily comparison see it: all accounts. */
import type { KnownRecord } from "./forwarding-provider.ts";

export interface LeftOver {
  /** From our mark in the provider's copy; we have no alias with this id. */
  aliasId: string;
  known: KnownRecord;
}

export interface ProviderInventory {
  /** Ids of all aliases, in the order of the ids. */
  pages(): AsyncIterable<readonly { aliasId: string; userId: string }[]>;
  /** Latest change of each, and the one that the provider has. Left out: aliases that were never due. */
  versions(aliasIds: readonly string[]): Promise<Map<string, { wanted: number; done: number }>>;
  /** Makes aliases due although nothing changed here: the provider is asked. @returns how many exist */
  lookAgain(aliasIds: readonly string[]): Promise<number>;
  /** Has copies deleted that have our mark and no alias. @returns how many; not those that the outbox has already */
  wantGone(leftOvers: readonly LeftOver[]): Promise<number>;
  /** Called before an existing copy's alias is inserted, so that the first call for it changes this copy. */
  foreknow(copy: { aliasId: string; userId: string; known: KnownRecord }): Promise<void>;
}
