/** Downloads bytes. Always as `application/octet-stream`, so that no content of strangers opens in this origin. */
export function saveFile(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has started by then, and its URL must not keep the bytes in memory.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
