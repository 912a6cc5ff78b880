/** The link that takes a private key from a file, as Settings and `age-keygen` write them. */
import { useRef } from "react";

const KEY_FILE_MAX_BYTES = 64 * 1024;

/** What is said of a file that holds no text, or far more than a key. */
export const noKeyFile = "This file is no key file";

interface Props {
  /** `null`: the file can't be a key. */
  onRead: (text: string | null) => void;
}

export function KeyFilePicker({ onRead }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="link" onClick={() => picker.current?.click()}>
        Choose a key file
      </button>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Key file"
        accept=".json,.txt,.key,.age"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void textOf(file).then(onRead);
          // The same file again is a choice too.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

async function textOf(file: File): Promise<string | null> {
  return file.size > KEY_FILE_MAX_BYTES ? null : file.text().catch(() => null);
}
