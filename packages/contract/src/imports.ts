/**
 * Import of aliases from files and accounts of other services, and export in their formats. An import is stored as a
 * dry run first: every row has the result that a run would give, and the reason. Running the import creates the
 * aliases; for an hour it can be undone, which deletes them.
 */
import * as z from "zod";
import type { EndpointShapes } from "./endpoint.ts";
import { limits } from "./limits.ts";

export const importMessages = {
  tooLarge:
    `The file is too large: ${limits.importFileMaxBytes / 1_048_576} MiB at most, ` +
    `and ${limits.importUnpackedMaxBytes / 1_048_576} MiB unpacked.`,
} as const;

/** Formats of import files; the server detects a file's format by its content. */
export const importFileFormats = [
  "simplelogin-csv",
  "simplelogin-zip",
  "simplelogin-json",
  "addy-csv",
  "addy-json",
  "relay-json",
  "forward-email-json",
  "forward-email-txt",
  "mailx-csv",
  "kauke-json",
] as const;

/** Services whose aliases are read through their API, with a key that is used once and not stored. */
export const importServices = ["addy", "relay", "forward-email"] as const;

export const importFormats = [...importFileFormats, "addy-api", "relay-api", "forward-email-api"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Display names of the import formats. */
export const importFormatNames: Readonly<Record<ImportFormat, string>> = {
  "simplelogin-csv": "SimpleLogin (CSV)",
  "simplelogin-zip": "SimpleLogin (ZIP)",
  "simplelogin-json": "SimpleLogin (JSON)",
  "addy-csv": "addy.io (CSV)",
  "addy-json": "addy.io (JSON)",
  "relay-json": "Firefox Relay (JSON)",
  "forward-email-json": "Forward Email (JSON)",
  "forward-email-txt": "Forward Email (DNS records)",
  "mailx-csv": "Mailx (CSV)",
  "kauke-json": "Kauke (JSON)",
  "addy-api": "addy.io",
  "relay-api": "Firefox Relay",
  "forward-email-api": "Forward Email",
};

/**
 * Result of an import row. `create`: an alias of the same address; `twin`: an alias on a domain of this server that
 * replaces an address on another domain; `exists`: the account has it already; `taken`: the address belongs to another
 * account, or is held for 30 days for the account that deleted it; `unchecked`: a dry run names few taken addresses, so
 * whether this one is free, or which name the alias gets, is decided when the import runs; `reserved`: the name is reserved on this server;
 * `invalid`: the row can't be read; `deleted`: the alias was deleted at the other service; `over_limit`: the account
 * would hold more aliases than it may.
 */
export const importResults = [
  "create",
  "twin",
  "exists",
  "taken",
  "unchecked",
  "reserved",
  "invalid",
  "deleted",
  "over_limit",
] as const;
export type ImportResult = (typeof importResults)[number];

/**
 * States of an import. `planned`: a dry run, no aliases created; `running` and `undoing`: in progress; `undone`: its
 * aliases are deleted.
 */
export const importStates = ["planned", "running", "done", "undoing", "undone"] as const;
export type ImportState = (typeof importStates)[number];

/** An import with its counts and progress, as the API returns it. */
export const importWire = z.object({
  importId: z.uuid(),
  state: z.enum(importStates),
  format: z.enum(importFormats),
  /** Domain of this server on which addresses of other domains get an alias. */
  domain: z.string(),
  createdAt: z.iso.datetime(),
  /** When the run ended; null before its end. */
  endedAt: z.iso.datetime().nullable(),
  /** Time until which the import can be undone; null while there is nothing to undo. */
  undoUntil: z.iso.datetime().nullable(),
  /** When the stored rows of the import are deleted. */
  deletedAt: z.iso.datetime(),
  /**
   * Number of rows, in total and by result. Results change if a run finds that an address has been taken since the dry
   * run, and a run replaces the result `unchecked`.
   */
  rows: z.number(),
  counts: z.record(z.enum(importResults), z.number()),
  /** Number of aliases that the run or undo has handled so far, and the total. */
  progress: z.object({ done: z.number(), total: z.number() }),
  /** Number of aliases created by the run. */
  made: z.number(),
  /** Number of aliases deleted by the undo. */
  undone: z.number(),
  /**
   * Addresses of aliases that the undo did not delete, because they were changed or used for sending since the run; at
   * most 100.
   */
  kept: z.array(z.string()),
  keptCount: z.number(),
  /**
   * Unconfirmed destination mailboxes of the aliases to be created; each gets a confirmation message when mail arrives
   * for it.
   */
  unconfirmed: z.array(z.string()),
  /** Remarks about the whole import, as sentences, e.g. that the file names no destinations. */
  remarks: z.array(z.string()),
});
export type ImportWire = z.infer<typeof importWire>;

export const importRowWire = z.object({
  /** Number of the row in the file, from 1; the row below a CSV header is 1. */
  row: z.number(),
  /** The row's address as it is written in the file. */
  address: z.string(),
  result: z.enum(importResults),
  /** Address of the alias that was or would be created, or that the account has already; null for other results. */
  becomes: z.string().nullable(),
  /** Sentence that gives the reason for the result, or what differs from the file; null if there is none. */
  reason: z.string().nullable(),
  /** Destinations of the row's alias, in the notation of an alias' `forwardTo`. */
  forwardTo: z.string(),
  active: z.boolean(),
  notes: z.string().nullable(),
  /** Whether the run created the row's alias. */
  made: z.boolean(),
});
export type ImportRowWire = z.infer<typeof importRowWire>;

/** Maximum rows in one page of an import. */
export const importPageSize = 100;

const importParams = z.object({ importId: z.string() });

/**
 * Query parameters of an import: the domain for `twin` aliases, and the id of a label for all aliases that it creates.
 */
const target = {
  domain: z.string().trim().toLowerCase().max(253).optional(),
  label: z.uuid().optional(),
};

const importPage = z.object({
  page: z.coerce.number().int().min(0).max(10_000).optional(),
  result: z.enum(importResults).optional(),
});

export const importFromServiceBody = z.object({
  service: z.enum(importServices, "Please choose a service"),
  /** Address of a self-hosted addy.io; absent for addy.io itself. */
  baseUrl: z.string().trim().max(limits.webhookUrlMax).optional(),
  apiKey: z
    .string("Please enter the API key")
    .trim()
    .min(1, "Please enter the API key")
    .max(512, "This is not an API key")
    .regex(/^[\x21-\x7e]*$/, "This is not an API key"),
  domain: target.domain,
  label: target.label,
});
export type ImportFromServiceBody = z.infer<typeof importFromServiceBody>;

export const aliasExportFormats = ["simplelogin", "addy", "forward-email"] as const;
export type AliasExportFormat = (typeof aliasExportFormats)[number];

export const importEndpoints = {
  createImport: {
    summary: "Read a file of another service and store a dry run of its import; the body is the file's bytes",
    query: z.object({ format: z.enum(["auto", ...importFileFormats]).optional(), ...target }),
    bytesBody: true,
    bodyMaxBytes: limits.importFileMaxBytes,
    status: 201,
    errors: [400, 429, 503],
    answer: importWire,
  },
  createImportFromService: {
    summary: "Read the aliases of an account at another service with its API key, which is not stored; a dry run",
    body: importFromServiceBody,
    status: 201,
    errors: [429, 503],
    answer: importWire,
  },
  listImports: {
    summary: "Imports of the last day, newest first",
    status: 200,
    answer: z.object({ imports: z.array(importWire) }),
  },
  getImport: {
    summary: `Counts and progress of an import, and a page of ${importPageSize} rows`,
    params: importParams,
    query: importPage,
    status: 200,
    answer: importWire.extend({
      page: z.object({
        number: z.number(),
        /** Number of pages of the rows with the requested result. */
        count: z.number(),
        rows: z.array(importRowWire),
      }),
    }),
  },
  runImport: {
    summary: "Make the aliases of a dry run; continues in the background, and changes nothing when repeated",
    params: importParams,
    status: 200,
    errors: [409, 429],
    answer: importWire,
  },
  undoImport: {
    summary: "Delete the aliases that an import made and that are unchanged since, within an hour of its end",
    params: importParams,
    status: 200,
    errors: [409],
    answer: importWire,
  },
  deleteImport: {
    summary: "Delete the stored rows of an import; aliases that it made stay",
    params: importParams,
    status: 200,
    errors: [409],
    answer: z.object({ message: z.string() }),
  },
  exportAliases: {
    summary: "Aliases as a file that another service imports",
    params: z.object({ userId: z.string(), format: z.enum(aliasExportFormats) }),
    query: z.object({ safe: z.literal("spreadsheet").optional() }),
    status: 200,
    errors: [429],
    fileTypes: { simplelogin: "text/csv", addy: "text/csv", "forward-email": "text/plain" },
    answer: z.string(),
  },
} as const satisfies Record<string, EndpointShapes>;
