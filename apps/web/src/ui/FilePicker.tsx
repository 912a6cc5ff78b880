import { type ReactNode, useRef } from "react";

interface Props {
  /** Accessible name of the file input, which nobody sees. */
  label: string;
  accept?: string;
  onFile: (file: File) => void;
  /** The button that opens the file picker. */
  children: (open: () => void) => ReactNode;
}

export function FilePicker({ label, accept, onFile, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) onFile(file);
          // Emptied, so that choosing the same file again fires a change event.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
