import { aliasMessages, type BulkAliasResponse } from "@kauke/contract";
import { plural } from "../../../texts/plural.ts";
import { said } from "../../../texts/said.ts";
import { t } from "../../../texts/texts.ts";
import { countText } from "../../../ui/text/count-text.ts";

export function deletionFailureText(failed: BulkAliasResponse["failed"]): string {
  const isLimited = failed.some(({ code }) => code === "rate_limited");
  const text = plural(failed.length, "{count} alias could not be deleted.", "{count} aliases could not be deleted.", {
    count: countText(failed.length),
  });
  return isLimited ? `${text} ${said(aliasMessages.releasedMany)}` : text;
}

/** Whether the typed number is `count`, with or without separators: `4998`, `4,998`, `4 998`. */
export const isCount = (typed: string, count: number): boolean => typed.replace(/[\s.,'’]/g, "") === String(count);

/** @example bulkFailureText(failed, 84) // "2 of 84 aliases have 10 labels already" */
export function bulkFailureText(failed: BulkAliasResponse["failed"], asked: number): string | null {
  const missing = failed.filter(({ code }) => code === "not_found").length;
  const refused = failed.length - missing;
  const parts = [
    refused === 0 ? [] : refusedText(refused, asked),
    missing === 0 ? [] : missingText(missing, asked),
  ].flat();
  return parts.length === 0 ? null : parts.join(" ");
}

function refusedText(count: number, asked: number): string {
  if (asked === 1) return t("The alias has 10 labels already.");
  return plural(
    count,
    "{count} of {asked} aliases has 10 labels already.",
    "{count} of {asked} aliases have 10 labels already.",
    { count: countText(count), asked: countText(asked) },
  );
}

function missingText(count: number, asked: number): string {
  if (asked === 1) return t("The alias does not exist any more.");
  return plural(
    count,
    "{count} of {asked} aliases does not exist any more.",
    "{count} of {asked} aliases do not exist any more.",
    { count: countText(count), asked: countText(asked) },
  );
}
