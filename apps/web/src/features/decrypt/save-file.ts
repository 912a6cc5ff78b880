/** Gives bytes to the browser to save. Never as their own type: nothing of a stranger's opens in this origin. */
export function saveFile(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then; the bytes are not kept for it.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
