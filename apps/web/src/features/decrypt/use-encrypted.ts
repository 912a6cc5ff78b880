/** The encrypted text or files, one for both tabs. The text survives a reload as a draft; it is ciphertext. */
import { encryptionMessages } from "@kauke/contract";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { deleteDraft, readDraft, saveDraft } from "../../drafts/drafts.ts";
import { dropAllHandlers } from "../../ui/files.ts";
import { type ChosenFile, chooseFiles, stanzaTypes } from "./encrypted-file.ts";
import type { Incoming } from "./incoming.ts";
import type { Encrypted } from "./open-encrypted.ts";

const SAVE_AFTER_MS = 300;

/** Saves typed text, and at once when the page is left. */
function useTextDraft(text: string, setText: (change: (before: string) => string) => void) {
  const unsaved = useRef<string | null>(null);
  useEffect(() => {
    let isOver = false;
    void readDraft<string>("decrypt", "").then((draft) => {
      if (!isOver && typeof draft?.value === "string") setText((before) => before || (draft.value as string));
    });
    return () => {
      isOver = true;
    };
  }, [setText]);
  const save = useCallback(() => {
    const latest = unsaved.current;
    unsaved.current = null;
    if (latest === null) return;
    void (latest.trim() === "" ? deleteDraft("decrypt", "") : saveDraft("decrypt", "", latest));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the delay starts again with each change of the text
  useEffect(() => {
    const timer = setTimeout(save, SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, save]);
  useEffect(() => {
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      save();
    };
  }, [save]);
  /** After use. */
  const drop = useCallback(() => {
    unsaved.current = null;
    void deleteDraft("decrypt", "");
  }, []);
  return {
    note: (typed: string) => {
      unsaved.current = typed;
    },
    drop,
  };
}

export function useEncrypted() {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([]);
  const [error, setError] = useState<string>();
  /** Counts what was dropped or pasted on a page, so that a form can go on with it. */
  const [arrivals, setArrivals] = useState(0);
  const draft = useTextDraft(text, setText);
  const onText = (typed: string) => {
    draft.note(typed);
    setText(typed);
    setError(undefined);
  };
  const onFiles = async (files: readonly File[]) => {
    const result = await chooseFiles(files);
    setError(typeof result === "string" ? result : undefined);
    setChosen(typeof result === "string" ? [] : result);
    return typeof result !== "string";
  };
  const onTakeAway = (index: number) => {
    setChosen((before) => before.filter((_, at) => at !== index));
    setError(undefined);
  };
  const stanzas = useMemo(() => (chosen.length > 0 ? (chosen[0]?.stanzas ?? null) : stanzaTypes(text)), [chosen, text]);
  return {
    text,
    chosen,
    error,
    stanzas,
    arrivals,
    onText,
    onFiles: (files: readonly File[]) => void onFiles(files),
    onTakeAway,
    drop: dropAllHandlers((files) => void onFiles(files)),
    /** Ends the draft: the message was decrypted. */
    used: draft.drop,
    async arrive(incoming: Incoming) {
      if ("text" in incoming) {
        setChosen([]);
        onText(incoming.text);
      } else if (!(await onFiles(incoming.files))) return;
      setArrivals((count) => count + 1);
    },
    clear() {
      draft.drop();
      setText("");
      setChosen([]);
      setError(undefined);
    },
    /** Without input: shows an error and returns `null`. */
    read(): Encrypted | null {
      if (chosen.length > 0 || text.trim() !== "") return { text, chosen };
      setError(encryptionMessages.encryptedTextRequired);
      return null;
    },
  };
}

export type EncryptedInput = ReturnType<typeof useEncrypted>;
