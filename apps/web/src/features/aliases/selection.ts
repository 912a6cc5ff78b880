/** Which aliases of the list are selected. Pure. */

export interface Selection {
  ids: ReadonlySet<string>;
  /** Where a range begins: the alias that was selected last by itself; `null` before the first. */
  anchor: string | null;
  /** What was selected when the range began. */
  base: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();
export const noSelection: Selection = { ids: nothing, anchor: null, base: nothing };

/** Selects an alias, or takes it out; ranges begin there. */
export function pickOne({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/**
 * Selects all from where the range began up to this alias, which may be on another page; a shorter range takes aliases
 * out again.
 * @param order ids of the aliases that are listed, on all pages
 */
export function pickRange(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? ""), order.indexOf(id)];
  if (from === -1 || to === -1) return pickOne({ ...selection, ids: without(selection.ids, id) }, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ...selection, ids: new Set([...selection.base, ...range]) };
}

/** Selects all of these, or none of them if all were selected. */
export function pickAll({ ids, anchor }: Selection, wanted: readonly string[]): Selection {
  const rest = new Set(ids);
  for (const id of wanted) rest.delete(id);
  const next = wanted.every((id) => ids.has(id)) ? rest : new Set([...rest, ...wanted]);
  return { ids: next, anchor, base: next };
}

/** Selects these aliases and no others. */
export const pickExactly = (ids: readonly string[]): Selection => {
  const all = new Set(ids);
  return { ids: all, anchor: null, base: all };
};

/** The selected ones among the listed, in the list's order: what is not listed is not changed. */
export function pickedAmong(selection: Selection, order: readonly string[]): readonly string[] {
  return selection.ids.size === 0 ? none : order.filter((id) => selection.ids.has(id));
}

const none: readonly string[] = [];

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}
