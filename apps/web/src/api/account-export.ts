/** Downloads the account's own data. The server supplies the file name and the JSON, which is saved indented. */
import { useMutation } from "@tanstack/react-query";
import { callUnread } from "./client.ts";

/**
 * Reads the file name from the value of a Content-Disposition header field.
 * @param fallback name used if the header field has none
 * @example fileNameIn('attachment; filename="kauke-account-2026-11-22.json"', "x") // "kauke-account-2026-11-22.json"
 */
export function fileNameIn(disposition: string | null, fallback: string): string {
  return /filename="([\w.-]+)"/.exec(disposition ?? "")?.[1] ?? fallback;
}

export function useAccountExport() {
  return useMutation({
    mutationFn: async () => {
      const response = await callUnread("exportAccount");
      const fileName = fileNameIn(response.headers.get("content-disposition"), "kauke-account.json");
      // Parsing finds a response that a server or proxy cut off, so no incomplete file is saved.
      const data: unknown = await response.json();
      return { fileName, text: `${JSON.stringify(data, null, 2)}\n` };
    },
  });
}
