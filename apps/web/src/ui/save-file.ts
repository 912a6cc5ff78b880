/** Downloads a text as a file, without a request. */
export function saveFile(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has read the text by then; an unrevoked URL would keep it in memory until the page is left.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
