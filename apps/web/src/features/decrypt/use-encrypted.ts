/** State of a form's encrypted input: the chosen file and the error. The text itself stays in its textarea. */
import { encryptionMessages } from "@kauke/contract";
import { useRef, useState } from "react";
import { dropHandlers } from "../../ui/files.ts";
import { chooseFile } from "./DecryptForm.tsx";
import type { ChosenFile, Encrypted } from "./open-encrypted.ts";

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
    /** Returns the input to decrypt; without any, shows an error and returns `null`. */
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

/** Detects an encrypted file by its content, never by its name. Pure. */
const armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----";
const binaryBegin = "age-encryption.org/v1\n";

/** Maximum size of an encrypted file in bytes. */
export const FILE_MAX_BYTES = 40 * 1024 * 1024;
/** How many bytes of a chosen file are examined; the header and notice of a saved message are far shorter. */
export const FILE_START_BYTES = 256 * 1024;

/** How a file contains age data. `surrounded`: as armor with other text around it, e.g. in a saved message. */
export type EncryptedFileKind = "binary" | "armored" | "surrounded";

/**
 * Detects whether and how a file contains age data.
 * @param start the first `FILE_START_BYTES` of the file, or all of it
 * @returns `null` if no age file begins in these bytes
 */
export function encryptedFileKind(start: Uint8Array): EncryptedFileKind | null {
  const text = latin1(start);
  if (text.startsWith(binaryBegin)) return "binary";
  const begin = text.indexOf(armorBegin);
  if (begin === -1) return null;
  return text.slice(0, begin).trim() === "" ? "armored" : "surrounded";
}

/** Whether a file contains armored age files that have to be found in its text, e.g. because there are several. */
export function hasBlocks(kind: EncryptedFileKind, text: string): boolean {
  return kind === "surrounded" || (kind === "armored" && text.indexOf(armorBegin) !== text.lastIndexOf(armorBegin));
}

/** Decodes one character per byte, so that armor is found whatever the encoding around it. */
export function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
