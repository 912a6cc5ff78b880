import type { DragEvent } from "react";

/** Event handlers that accept one file dropped on an element. */
export function dropHandlers(onFile: (file: File) => void) {
  const allow = (event: DragEvent) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault();
  };
  return {
    onDragOver: allow,
    onDrop(event: DragEvent) {
      const file = event.dataTransfer.files[0];
      if (file === undefined) return;
      event.preventDefault();
      onFile(file);
    },
  };
}
