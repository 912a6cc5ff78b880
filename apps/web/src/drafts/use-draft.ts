import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { DraftKind } from "./draft.ts";
import { deleteDraft, openDrafts, readDraft, saveDraft } from "./drafts.ts";

interface DraftState {
  /** When the draft was stored; `null` while there is none. */
  savedAt: number | null;
  /** The browser stores nothing, so leaving the page asks first. */
  isInTabOnly: boolean;
}

const none: DraftState = { savedAt: null, isInTabOnly: false };

/**
 * A form's draft. Give `save` each change, and call `drop` when the form was used or is blank.
 * @param onFound called once with what was typed before, unless something was typed meanwhile; check its shape, which
 *   another version of the app may have written
 */
export function useDraft<T>(kind: DraftKind, id: string, onFound: (value: T) => void) {
  const [state, setState] = useState(none);
  const found = useEffectEvent(onFound);
  const changes = useRef(0);
  const hasDraft = useRef(false);
  const reading = useRef(Promise.resolve());
  useEffect(() => {
    const before = changes.current;
    let isOver = false;
    openDrafts();
    reading.current = readDraft<T>(kind, id).then((draft) => {
      if (draft === null || isOver || changes.current !== before) return;
      hasDraft.current = true;
      setState({ savedAt: draft.savedAt, isInTabOnly: false });
      found(draft.value);
    });
    return () => {
      isOver = true;
    };
  }, [kind, id]);
  const save = (value: T) => {
    changes.current += 1;
    hasDraft.current = true;
    const mine = changes.current;
    void saveDraft(kind, id, value).then((isStored) => {
      if (changes.current === mine) setState({ savedAt: isStored ? Date.now() : null, isInTabOnly: !isStored });
    });
  };
  const drop = () => {
    changes.current += 1;
    if (!hasDraft.current) return;
    hasDraft.current = false;
    setState(none);
    void deleteDraft(kind, id);
  };
  /** Resolves once `onFound` was called, or is not going to be. */
  const whenRead = () => reading.current;
  return { ...state, save, drop, whenRead };
}
