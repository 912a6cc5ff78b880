import type { ImportFormat } from "@kauke/contract";

export interface ForeignAlias {
  row: number;
  /** The address as written; in Forward Email's DNS records without a zone it may lack the domain. */
  address: string;
  notes: string;
  active: boolean;
  destinations: readonly string[];
  isDeleted: boolean;
  /** Why the row can't be imported, as a sentence; `null` when its address can be read. */
  problem: string | null;
}

export interface ForeignAliases {
  format: ImportFormat;
  rows: AsyncIterable<ForeignAlias>;
}

/** Maximum characters of a row's texts; notes are cut further. */
const TEXT_MAX = 2048;

/** Reads a row; a value that is not a string counts as empty. */
export function foreignAlias(row: number, fields: Partial<Record<keyof ForeignAlias, unknown>>): ForeignAlias {
  const { destinations, isDeleted, active } = fields;
  return {
    row,
    address: cellText(fields.address).trim(),
    notes: cellText(fields.notes),
    active: active === undefined ? true : isTrue(active),
    destinations: Array.isArray(destinations)
      ? destinations
          .slice(0, 100)
          .map(cellText)
          .filter((text) => text !== "")
      : [],
    isDeleted: isDeleted === true,
    problem: typeof fields.problem === "string" ? fields.problem : null,
  };
}

const FORMULA = /^'(?=[=+\-@\t\r])/;

/** Drops the apostrophe that a spreadsheet-safe export put before `=`, `+`, `-` or `@`. */
export function cellText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, TEXT_MAX).replace(FORMULA, "").trim() : "";
}

const TRUE = /^(?:true|1|yes|t)$/i;

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && TRUE.test(value.trim()));
}

/** The message is a sentence for the user that quotes no content of the file. */
export class AliasImportError extends Error {
  override name = "AliasImportError";
  readonly reason: "invalid" | "too_large" | "unavailable";
  readonly field: "file" | "baseUrl" | "apiKey" | null;

  constructor(reason: AliasImportError["reason"], field: AliasImportError["field"], message: string) {
    super(message);
    this.reason = reason;
    this.field = field;
  }
}

export const unreadableFile = (message: string): AliasImportError => new AliasImportError("invalid", "file", message);
