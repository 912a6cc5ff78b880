/** What is open in the alias panel: the same when the next alias takes it, gone with a reload. */
import { onUserChange } from "../../../api/session/session.ts";
import { makeStore, useStore } from "../../../ui/store.ts";
import { openAlias } from "../alias-location.ts";

export type Fold = "name" | "smtp" | "write" | "sealing" | "webhook";
export type EditedField = "forwardTo" | "notes";

interface PanelState {
  folds: ReadonlySet<Fold>;
  /** Only one field at a time, so that Escape is unambiguous. `isKept`: from a draft, and gets no focus. */
  editing: { aliasId: string; field: EditedField; isKept?: true } | null;
  /** `isCalled`: from elsewhere in the panel, so that the first choice gets the focus. */
  labelling: { aliasId: string; isCalled: boolean } | null;
}

const closed: PanelState = { folds: new Set(), editing: null, labelling: null };
const state = makeStore<PanelState>(closed);

export const usePanelState = (): PanelState => useStore(state);

export function setFold(fold: Fold, isOpen: boolean): void {
  const folds = new Set(state.read().folds);
  if (isOpen) folds.add(fold);
  else folds.delete(fold);
  state.set({ ...state.read(), folds });
}

export const setEdited = (editing: PanelState["editing"]): void => state.set({ ...state.read(), editing });

export const setLabelling = (labelling: PanelState["labelling"]): void => state.set({ ...state.read(), labelling });

/** Shows a kept edit again, unless the user has begun one of the same alias. */
export function resumeEdit(aliasId: string, field: EditedField): void {
  if (state.read().editing?.aliasId !== aliasId) setEdited({ aliasId, field, isKept: true });
}

export function openAliasAt(aliasId: string, fold: Fold): void {
  setFold(fold, true);
  openAlias(aliasId);
}

export function editInPanel(aliasId: string, field: EditedField): void {
  setEdited({ aliasId, field });
  openAlias(aliasId);
}

onUserChange(() => state.set(closed));

/** From this width on, the panel is beside the list. */
export const BESIDE = "(min-width: 80rem)";
