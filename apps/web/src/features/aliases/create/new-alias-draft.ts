/** What was typed for a new alias, kept as a draft until the alias exists: through reloads, other pages and sign-ins. */
import { useEffect, useEffectEvent, useRef } from "react";
import { useDraft } from "../../../drafts/use-draft.ts";

export interface TypedFields {
  alias: string;
  domain: string;
  forwardTo: string;
  notes: string;
}

const NOTHING = "{}";

/** @param fields those that differ from what the form began with */
export function useNewAliasDraft(
  fields: Partial<TypedFields>,
  restore: (fields: Readonly<Record<string, unknown>>) => void,
): { whenDraftRead: () => Promise<void> } {
  const { save, drop, whenRead } = useDraft<Partial<TypedFields>>("new-alias", "", restore);
  const typed = JSON.stringify(fields);
  const last = useRef(NOTHING);
  const onTyped = useEffectEvent(() => (typed === NOTHING ? drop() : save(fields)));
  useEffect(() => {
    // An empty form that has just appeared is no reason to delete the draft.
    if (typed === last.current) return;
    last.current = typed;
    onTyped();
  }, [typed]);
  return { whenDraftRead: whenRead };
}
