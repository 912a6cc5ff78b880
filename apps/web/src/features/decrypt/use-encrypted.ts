/** The encrypted text or files, one for both tabs. The text survives a reload as a draft; it is ciphertext. */
import { encryptionMessages } from "@kauke/contract";
import { useCallback, useEffect, useMemo, useState } from "react";
import { deleteDraft, readDraft, saveDraft } from "../../drafts/drafts.ts";
import { holdsPrivateKey } from "../../drafts/private-key.ts";
import { dropAllHandlers } from "../../ui/files.ts";
import { type ChosenFile, chooseFiles, stanzaTypes } from "./encrypted-file.ts";
import type { Incoming } from "./incoming.ts";
import type { Encrypted } from "./open-encrypted.ts";

function useTextDraft(setText: (change: (before: string) => string) => void) {
  useEffect(() => {
    let isOver = false;
    void readDraft<string>("decrypt", "").then((draft) => {
      if (!isOver && typeof draft?.value === "string") setText((before) => before || (draft.value as string));
    });
    return () => {
      isOver = true;
    };
  }, [setText]);
  /** After use. */
  const drop = useCallback(() => void deleteDraft("decrypt", ""), []);
  /** At once, so that a reload right after it loses nothing. */
  const note = (typed: string) =>
    void (typed.trim() === "" || holdsPrivateKey(typed) ? drop() : saveDraft("decrypt", "", typed));
  return { note, drop };
}

export function useEncrypted() {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([]);
  const [error, setError] = useState<string>();
  /** Counts what was dropped or pasted on a page, so that a form can go on with it. */
  const [arrivals, setArrivals] = useState(0);
  const draft = useTextDraft(setText);
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
