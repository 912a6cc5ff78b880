/**
 * React keys of the rows of the alias table. A key press in the search replaces most rows; those of aliases that are no
 * longer found then show newly found ones, since changing the texts of a row takes a fraction of the time of a new one.
 * Pure.
 */

/** Key of each shown alias by its id. Keys are numbers in the order in which rows were first needed. */
export type RowKeys = ReadonlyMap<string, number>;

export const noRowKeys: RowKeys = new Map();

/**
 * @param before keys of the rows shown until now; an alias that is still shown keeps its key
 * @param isReused whether other aliases get the keys that became free. Only after a search, when the focus is in the
 * search field: a focused row must never become that of another alias.
 */
export function nextRowKeys(before: RowKeys, aliasIds: readonly string[], isReused: boolean): RowKeys {
  const shown = new Set(aliasIds);
  const free = isReused ? [...before].filter(([id]) => !shown.has(id)).map(([, key]) => key) : [];
  let last = Math.max(-1, ...before.values());
  return new Map(aliasIds.map((id) => [id, before.get(id) ?? free.shift() ?? ++last]));
}
