/** The encrypted text or file of a form; the text itself stays in its textarea. */
import { encryptionMessages } from "@kauke/contract";
import { useRef, useState } from "react";
import { dropHandlers } from "../../ui/files.ts";
import { type ChosenFile, chooseFile } from "./encrypted-file.ts";
import type { Encrypted } from "./open-encrypted.ts";

export function useEncrypted() {
  const ref = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  const [error, setError] = useState<string>();
  const onFile = async (file: File) => {
    const result = await chooseFile(file);
    setError(typeof result === "string" ? result : undefined);
    setChosen(typeof result === "string" ? null : result);
  };
  const onTakeAway = () => {
    setChosen(null);
    setError(undefined);
    requestAnimationFrame(() => ref.current?.focus());
  };
  return {
    field: {
      ref,
      chosen,
      error,
      onFile: (file: File) => void onFile(file),
      onTakeAway,
      onInput: () => setError(undefined),
    },
    drop: dropHandlers((file) => void onFile(file)),
    /** Without input: shows an error and returns `null`. */
    read(): Encrypted | null {
      const text = ref.current?.value ?? "";
      if (chosen === null && text.trim() === "") {
        setError(encryptionMessages.encryptedTextRequired);
        return null;
      }
      return { text, chosen };
    },
    focus: () => ref.current?.focus(),
  };
}
