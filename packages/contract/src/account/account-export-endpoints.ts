/**
 * Route of the account export, which returns every row stored about the account; part of the table in `endpoints.ts`.
 */
import * as z from "zod";
import type { EndpointShapes } from "../endpoint.ts";

/**
 * A row of any table, with that table's columns. `deletionDate` says when the row is deleted: an ISO date, or a
 * sentence.
 */
const exportedRow = z.looseObject({ deletionDate: z.string() });

export const accountExportWire = z.object({
  service: z.string(),
  exportedAt: z.iso.datetime(),
  accountId: z.uuid(),
  notes: z.array(z.string()),
  tables: z.record(z.string(), z.object({ about: z.string(), rows: z.array(exportedRow) })),
});
export type AccountExportWire = z.infer<typeof accountExportWire>;

export const accountExportEndpoints = {
  exportAccount: {
    summary: "Everything held about the account, every row with the date of its deletion",
    status: 200,
    savedAs: "kauke-account",
    errors: [429],
    answer: accountExportWire,
  },
} satisfies Record<string, EndpointShapes>;
