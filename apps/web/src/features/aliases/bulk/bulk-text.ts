/** Texts about changes of many aliases at once. */
import { aliasMessages, type BulkAliasAnswer } from "@kauke/contract";
import { countText } from "../../../ui/text/count-text.ts";
import { aliasesText } from "../alias-text.ts";

/** How many aliases could not be deleted, and why, if the account has too many reserved addresses. */
export function deletionFailureText(failed: BulkAliasAnswer["failed"]): string {
  const isLimited = failed.some(({ code }) => code === "rate_limited");
  return `${aliasesText(failed.length)} could not be deleted.${isLimited ? ` ${aliasMessages.releasedMany}` : ""}`;
}

/** Whether the typed text is this number, with or without separators: `4998`, `4,998`, `4 998`. */
export const isCount = (typed: string, count: number): boolean => typed.replace(/[\s.,'’]/g, "") === String(count);

/** Why some aliases could not be changed, e.g. `2 of 84 aliases have 10 labels already`; `null` if all could. */
export function bulkFailureText(failed: BulkAliasAnswer["failed"], asked: number): string | null {
  const missing = failed.filter(({ code }) => code === "not_found").length;
  const refused = failed.length - missing;
  const of = `of ${aliasesText(asked)}`;
  const parts = [
    refused === 0 ? [] : `${countText(refused)} ${of} ${refused === 1 ? "has" : "have"} 10 labels already.`,
    missing === 0 ? [] : `${countText(missing)} ${of} ${missing === 1 ? "does" : "do"} not exist any more.`,
  ].flat();
  return parts.length === 0 ? null : parts.join(" ");
}
