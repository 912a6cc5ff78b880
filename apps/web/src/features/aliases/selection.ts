/** Which aliases of the list are selected, as pure functions. */

export interface Selection {
  ids: ReadonlySet<string>;
  /** First alias of a range: the one last selected without Shift; `null` if there is none yet. */
  anchor: string | null;
  /** Ids that were selected when the current range was begun. */
  base: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();
export const noSelection: Selection = { ids: nothing, anchor: null, base: nothing };

/** Selects or deselects one alias, from which the next range begins. */
export function pickOne({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/**
 * Selects all aliases from the first of the range to this one, which may be on another page; a range that becomes
 * shorter deselects the rest.
 * @param order ids of the listed aliases of all pages, in the list's order
 */
export function pickRange(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? ""), order.indexOf(id)];
  if (from === -1 || to === -1) return pickOne({ ...selection, ids: without(selection.ids, id) }, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ...selection, ids: new Set([...selection.base, ...range]) };
}

/** Selects all of the given aliases, or deselects them if all were selected. */
export function pickAll({ ids, anchor }: Selection, wanted: readonly string[]): Selection {
  const rest = new Set(ids);
  for (const id of wanted) rest.delete(id);
  const next = wanted.every((id) => ids.has(id)) ? rest : new Set([...rest, ...wanted]);
  return { ids: next, anchor, base: next };
}

/** Selects the given aliases and no others. */
export const pickExactly = (ids: readonly string[]): Selection => {
  const all = new Set(ids);
  return { ids: all, anchor: null, base: all };
};

/** Selected aliases that are listed, in the list's order; others are not changed by an action on the selection. */
export function pickedAmong(selection: Selection, order: readonly string[]): readonly string[] {
  return selection.ids.size === 0 ? none : order.filter((id) => selection.ids.has(id));
}

const none: readonly string[] = [];

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}
