/** A row of another service's list of aliases, in the form that all formats are read into. */
import type { ImportFormat } from "@kauke/contract";
import { AppError } from "../app-error.ts";

export interface ImportedAlias {
  /** Place in the file, from 1. */
  row: number;
  /** Address as the file has it; for Forward Email's DNS records without a zone it may have no domain. */
  address: string;
  notes: string;
  active: boolean;
  /** Mailboxes and webhook URLs as the file has them, unchecked; empty when the file names none. */
  destinations: readonly string[];
  /** Whether the alias was deleted at the other service. */
  isDeleted: boolean;
  /** Why the row can't be imported, as a sentence; `null` when its address may be read. */
  problem: string | null;
}

/** Rows of a file or account, read as they are needed. */
export interface ImportSource {
  format: ImportFormat;
  rows: AsyncIterable<ImportedAlias>;
}

/** The error of a file that can't be read. @param message sentence that names no content of the file */
export function unreadable(message: string): AppError {
  return new AppError("invalid", { message, errors: { file: [message] } });
}

/** Texts longer than this are cut when they are read: an address has 254 characters, and notes are cut further. */
const TEXT_MAX = 2048;

/** Makes a row from values of any type: a value that is no text counts as empty. */
export function importedAlias(row: number, fields: Partial<Record<keyof ImportedAlias, unknown>>): ImportedAlias {
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
 * The text of a cell or field. An apostrophe that a spreadsheet-safe export put before `=`, `+`, `-` or `@` is removed.
 */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, TEXT_MAX).replace(FORMULA, "").trim() : "";
}

const TRUE = /^(?:true|1|yes|t)$/i;

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || (typeof value === "string" && TRUE.test(value.trim()));
}
