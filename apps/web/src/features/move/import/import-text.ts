import type { ImportResult, ImportRowWire, ImportWire } from "@kauke/contract";
import { ApiError, messageOf } from "../../../api/api-error.ts";
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
  create: "Same address",
  twin: "New address",
  exists: "Already here",
  taken: "Taken",
  unchecked: "Not checked yet",
  reserved: "Reserved name",
  invalid: "Not readable",
  deleted: "Deleted there",
  over_limit: "Over the limit",
};

/** Reasons for outcomes where the server gives none. */
export const resultReasons: Readonly<Record<ImportResult, string>> = {
  create: "The alias moves as it is.",
  twin: "Its domain is not one of ours, so it gets an address here. The site has to be told.",
  exists: "You have this alias already.",
  taken: "This address belongs to somebody else.",
  unchecked: "Whether this address is free is found out when the import runs.",
  reserved: "This name cannot be used here.",
  invalid: "This row is no address that can be an alias.",
  deleted: "It was deleted at the other service.",
  over_limit: "Your account can hold no more aliases.",
};

/** Number of aliases that the import makes if the unchecked addresses are free. */
export const toMake = ({ counts }: Pick<ImportWire, "counts">): number =>
  (counts.create ?? 0) + (counts.twin ?? 0) + (counts.unchecked ?? 0);

/** Time left to undo an import, e.g. "42 minutes", "less than a minute"; `null` if it is over. */
export function undoTimeText(undoUntil: string | null, now: Date): string | null {
  if (undoUntil === null) return null;
  const leftMs = new Date(undoUntil).getTime() - now.getTime();
  if (!(leftMs > 0)) return null;
  const minutes = Math.floor(leftMs / 60_000);
  return minutes === 0 ? "less than a minute" : minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

/** Why an import failed; for a rate limit, when it ends. */
export function importFailureText(error: unknown, fileName: string | null, now = new Date()): string {
  const message = messageOf(error, "The import could not be read.");
  const named = fileName === null || message.includes(fileName) ? message : `“${fileName}”: ${message}`;
  if (!(error instanceof ApiError) || !error.rateLimited || error.resetTime === undefined) return named;
  const time = timeText(error.resetTime, now);
  return time === "" ? message : `${message.replace(/[.\s]*$/, ".")} Try again after ${time}`;
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
