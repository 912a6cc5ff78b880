/** One alias in another service's list, in the common form that all import formats are converted to. */
import type { ImportFormat } from "@kauke/contract";

export interface ForeignAlias {
  /** Position of the row in the file, from 1. */
  row: number;
  /** Address as the file spells it; in Forward Email's DNS records without a zone it may lack the domain. */
  address: string;
  notes: string;
  active: boolean;
  /** Mailboxes and webhook URLs as the file spells them, unchecked; empty when the file names none. */
  destinations: readonly string[];
  /** Whether the alias was deleted at the other service. */
  isDeleted: boolean;
  /** Reason, as a sentence, why the row can't be imported; `null` when its address can be read. */
  problem: string | null;
}

/** Format and rows of a file or service to import from. Rows are read as they are requested. */
export interface ForeignAliases {
  format: ImportFormat;
  rows: AsyncIterable<ForeignAlias>;
}

/**
 * Maximum characters of a text in an imported row; longer texts are cut. An address has at most 254 characters, and
 * notes are cut further.
 */
const TEXT_MAX = 2048;

/** Makes an imported row from values of any type; a value that is not a string counts as empty. */
export function foreignAlias(row: number, fields: Partial<Record<keyof ForeignAlias, unknown>>): ForeignAlias {
  const { destinations, isDeleted, active } = fields;
  return {
    row,
    address: textOf(fields.address).trim(),
    notes: textOf(fields.notes),
    active: active === undefined ? true : isTrue(active),
    destinations: Array.isArray(destinations)
      ? destinations
          .slice(0, 100)
          .map(textOf)
          .filter((it) => it !== "")
      : [],
    isDeleted: isDeleted === true,
    problem: typeof fields.problem === "string" ? fields.problem : null,
  };
}

const FORMULA = /^'(?=[=+\-@\t\r])/;

/**
 * Text of a CSV cell or JSON field. The apostrophe that a spreadsheet-safe export put before `=`, `+`, `-` or `@` is
 * removed.
 */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, TEXT_MAX).replace(FORMULA, "").trim() : "";
}

const TRUE = /^(?:true|1|yes|t)$/i;

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && TRUE.test(value.trim()));
}
