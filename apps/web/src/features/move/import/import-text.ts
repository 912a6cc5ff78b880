import type { ImportResult, ImportRowWire, ImportWire } from "@kauke/contract";
import { ApiError } from "../../../api/api-error.ts";
import { messageOf } from "../../../api/error-text.ts";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { countText } from "../../../ui/text/count-text.ts";
import { timeText } from "../../../ui/text/time-text.ts";

/** Outcomes of rows, in the order of the filter's choices. */
export const resultOrder = [
  "create",
  "twin",
  "exists",
  "taken",
  "unchecked",
  "reserved",
  "invalid",
  "deleted",
  "over_limit",
] as const satisfies readonly ImportResult[];

export const resultWords: Readonly<Record<ImportResult, string>> = {
  create: t("Same address"),
  twin: t("New address"),
  exists: t("Already here"),
  taken: t("Taken"),
  unchecked: t("Not checked yet"),
  reserved: t("Reserved name"),
  invalid: t("Not readable"),
  deleted: t("Deleted there"),
  over_limit: t("Over the limit"),
};

/** Reasons for outcomes where the server gives none. */
export const resultReasons: Readonly<Record<ImportResult, string>> = {
  create: t("The alias moves as it is."),
  twin: t("Its domain is not one of ours, so it gets an address here. The site has to be told."),
  exists: t("You have this alias already."),
  taken: t("This address belongs to somebody else."),
  unchecked: t("Whether this address is free is found out when the import runs."),
  reserved: t("This name cannot be used here."),
  invalid: t("This row is no address that can be an alias."),
  deleted: t("It was deleted at the other service."),
  over_limit: t("Your account can hold no more aliases."),
};

/** Number of aliases that the import makes if the unchecked addresses are free. */
export const toMake = ({ counts }: Pick<ImportWire, "counts">): number =>
  (counts.create ?? 0) + (counts.twin ?? 0) + (counts.unchecked ?? 0);

export const createdText = (count: number): string =>
  plural(count, "{count} alias created", "{count} aliases created", { count: countText(count) });

export const deletedText = (count: number): string =>
  plural(count, "{count} alias deleted again", "{count} aliases deleted again", { count: countText(count) });

/** Time left to undo an import, e.g. "42 minutes", "less than a minute"; `null` if it is over. */
export function undoTimeText(undoUntil: string | null, now: Date): string | null {
  if (undoUntil === null) return null;
  const leftMs = new Date(undoUntil).getTime() - now.getTime();
  if (!(leftMs > 0)) return null;
  const minutes = Math.floor(leftMs / 60_000);
  return minutes === 0
    ? t("less than a minute")
    : plural(minutes, "{minutes} minute", "{minutes} minutes", { minutes });
}

/** Why an import failed; for a rate limit, when it ends. */
export function importFailureText(error: unknown, fileName: string | null, now = new Date()): string {
  const message = messageOf(error, t("The import could not be read."));
  const named =
    fileName === null || message.includes(fileName) ? message : t("“{fileName}”: {message}", { fileName, message });
  if (!(error instanceof ApiError) || !error.rateLimited || error.resetTime === undefined) return named;
  const time = timeText(error.resetTime, now);
  return time === ""
    ? message
    : t("{message} Try again after {time}", { message: message.replace(/[.\s]*$/, "."), time });
}

const hostName = /(?:^|[\s(])(?:https?:\/\/)?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})(?=$|[\s/),:;])/i;

/**
 * Site of an alias that replaces another: a host name in the notes, else the notes, else the local part.
 * @example siteOfTwin({ notes: "Used at shop.example", address: "x1@simplelogin.com" }) // "shop.example"
 */
export function siteOfTwin({ notes, address }: Pick<ImportRowWire, "notes" | "address">): string {
  const words = (notes ?? "").replace(/\bwas \S+@\S+$/, "").trim();
  return (
    hostName.exec(words)?.[1]?.toLowerCase() ?? (words === "" ? address.slice(0, address.lastIndexOf("@")) : words)
  );
}
