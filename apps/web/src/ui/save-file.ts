/** Hands the text to the browser's downloads; no request is made. */
export function saveFile(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has read it by then; kept, it would live as long as the page.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
