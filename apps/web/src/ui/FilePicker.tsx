import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  accept?: string;
  onFile: (file: File) => void;
  children: (open: () => void) => ReactNode;
}

export function FilePicker({ label, accept, onFile, children }: Props) {
  const id = useId();
  return (
    <>
      {children(() => document.getElementById(id)?.click())}
      <input
        id={id}
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
