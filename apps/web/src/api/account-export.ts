/** The account's own data as the server writes it: a file's name and its text. */
import { useMutation } from "@tanstack/react-query";
import { callUnread } from "./client.ts";

const fallbackName = "kauke-account.json";

/** @example fileNameIn('attachment; filename="kauke-account-2026-11-22.json"') // "kauke-account-2026-11-22.json" */
function fileNameIn(disposition: string | null): string {
  return /filename="([\w.-]+)"/.exec(disposition ?? "")?.[1] ?? fallbackName;
}

export function useAccountExport() {
  return useMutation({
    mutationFn: async () => {
      const response = await callUnread("exportAccount");
      const fileName = fileNameIn(response.headers.get("content-disposition"));
      // A server or a proxy that breaks off in between must not leave half a file.
      const data: unknown = await response.json();
      return { fileName, text: `${JSON.stringify(data, null, 2)}\n` };
    },
  });
}
