import { aliasMessages, type BulkAliasResponse } from "@kauke/contract";
import { countText } from "../../../ui/text/count-text.ts";
import { aliasesText } from "../alias-text.ts";

export function deletionFailureText(failed: BulkAliasResponse["failed"]): string {
  const isLimited = failed.some(({ code }) => code === "rate_limited");
  return `${aliasesText(failed.length)} could not be deleted.${isLimited ? ` ${aliasMessages.releasedMany}` : ""}`;
}

/** Whether the typed number is `count`, with or without separators: `4998`, `4,998`, `4 998`. */
export const isCount = (typed: string, count: number): boolean => typed.replace(/[\s.,'’]/g, "") === String(count);

/** @example bulkFailureText(failed, 84) // "2 of 84 aliases have 10 labels already" */
export function bulkFailureText(failed: BulkAliasResponse["failed"], asked: number): string | null {
  const missing = failed.filter(({ code }) => code === "not_found").length;
  const refused = failed.length - missing;
  const of = `of ${aliasesText(asked)}`;
  const parts = [
    refused === 0 ? [] : `${countText(refused)} ${of} ${refused === 1 ? "has" : "have"} 10 labels already.`,
    missing === 0 ? [] : `${countText(missing)} ${of} ${missing === 1 ? "does" : "do"} not exist any more.`,
  ].flat();
  return parts.length === 0 ? null : parts.join(" ");
}
