/** Import of aliases: a dry run decides each row, a run creates the aliases, and for an hour it can be undone. */
import * as z from "zod";
import type { EndpointShapes } from "./endpoint.ts";
import { limits } from "./limits.ts";

export const importMessages = {
  tooLarge:
    `The file is too large: ${limits.importFileMaxBytes / 1_048_576} MiB at most, ` +
    `and ${limits.importUnpackedMaxBytes / 1_048_576} MiB unpacked.`,
} as const;

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
 * `twin`: an alias of this server replaces an address on another domain; `exists`: the account has it; `taken`: another
 * account has it, or had it until 30 days ago; `unchecked`: a dry run names few taken addresses, so the run decides;
 * `deleted`: at the other service.
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

export const importStates = ["planned", "running", "done", "undoing", "undone"] as const;
export type ImportState = (typeof importStates)[number];

export const importWire = z.object({
  importId: z.uuid(),
  state: z.enum(importStates),
  format: z.enum(importFormats),
  domain: z.string(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  undoUntil: z.iso.datetime().nullable(),
  deletedAt: z.iso.datetime(),
  /** Number of rows; a run replaces `unchecked`, and may find that an address has been taken since. */
  rows: z.number(),
  counts: z.record(z.enum(importResults), z.number()),
  progress: z.object({ done: z.number(), total: z.number() }),
  made: z.number(),
  undone: z.number(),
  /** Aliases that an undo did not delete, since they were changed or used for sending; at most 100. */
  kept: z.array(z.string()),
  keptCount: z.number(),
  /** Unconfirmed mailboxes of an import; each gets a confirmation message when mail arrives for it. */
  unconfirmed: z.array(z.string()),
  remarks: z.array(z.string()),
});
export type ImportWire = z.infer<typeof importWire>;

export const importRowWire = z.object({
  /** Number of the row, from 1; the row below a CSV header is 1. */
  row: z.number(),
  address: z.string(),
  result: z.enum(importResults),
  /** Alias of the row, created, to be created, or existing; null for other results. */
  becomes: z.string().nullable(),
  reason: z.string().nullable(),
  forwardTo: z.string(),
  active: z.boolean(),
  notes: z.string().nullable(),
  made: z.boolean(),
});
export type ImportRowWire = z.infer<typeof importRowWire>;

export const importPageSize = 100;

const importParams = z.object({ importId: z.string() });

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
    response: importWire,
  },
  createImportFromService: {
    summary: "Read the aliases of an account at another service with its API key, which is not stored; a dry run",
    body: importFromServiceBody,
    status: 201,
    errors: [429, 503],
    response: importWire,
  },
  listImports: {
    summary: "Imports of the last day, newest first",
    status: 200,
    response: z.object({ imports: z.array(importWire) }),
  },
  getImport: {
    summary: `Counts and progress of an import, and a page of ${importPageSize} rows`,
    params: importParams,
    query: importPage,
    status: 200,
    response: importWire.extend({
      page: z.object({
        number: z.number(),
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
    response: importWire,
  },
  undoImport: {
    summary: "Delete the aliases that an import made and that are unchanged since, within an hour of its end",
    params: importParams,
    status: 200,
    errors: [409],
    response: importWire,
  },
  deleteImport: {
    summary: "Delete the stored rows of an import; aliases that it made stay",
    params: importParams,
    status: 200,
    errors: [409],
    response: z.object({ message: z.string() }),
  },
  exportAliases: {
    summary: "Aliases as a file that another service imports",
    params: z.object({ userId: z.string(), format: z.enum(aliasExportFormats) }),
    query: z.object({ safe: z.literal("spreadsheet").optional() }),
    status: 200,
    errors: [429],
    fileTypes: { simplelogin: "text/csv", addy: "text/csv", "forward-email": "text/plain" },
    response: z.string(),
  },
} as const satisfies Record<string, EndpointShapes>;
