import type { DragEvent } from "react";

/**
 * Downloads a file without a request. Always as `application/octet-stream`, so that no content of strangers opens in
 * this origin.
 */
export function saveFile(fileName: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // After ten seconds the browser has read the file; an unrevoked URL would keep it in memory until the page is left.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

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
