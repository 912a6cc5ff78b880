import type { DragEvent } from "react";

/** Saves a file as `application/octet-stream`, so that a stranger's content never opens in this origin. */
export function saveFile(fileName: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has read the file by then; its URL would keep it in memory.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Event handlers of an element on which one file can be dropped. */
export const dropHandlers = (onFile: (file: File) => void) => dropAllHandlers(([file]) => file && onFile(file));

/** Event handlers of an element on which files can be dropped. */
export function dropAllHandlers(onFiles: (files: readonly File[]) => void) {
  const allow = (event: DragEvent) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  };
  return {
    onDragOver: allow,
    onDrop(event: DragEvent) {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      onFiles([...event.dataTransfer.files]);
    },
  };
}
