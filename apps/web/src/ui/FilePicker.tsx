import { type ReactNode, useRef } from "react";

interface Props {
  /** For screen readers. */
  label: string;
  accept?: string;
  onFile: (file: File) => void;
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
          // So that the same file fires a change event again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
