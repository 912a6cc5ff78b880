import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  accept?: string;
  onFile?: (file: File) => void;
  /** Where several files can be chosen. */
  onFiles?: (files: readonly File[]) => void;
  children: (open: () => void) => ReactNode;
}

export function FilePicker({ label, accept, onFile, onFiles, children }: Props) {
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
        multiple={onFiles !== undefined}
        onChange={({ currentTarget }) => {
          const [...files] = currentTarget.files ?? [];
          if (files[0] !== undefined) {
            onFile?.(files[0]);
            onFiles?.(files);
          }
          // Emptied, so that choosing the same file again fires a change event.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
