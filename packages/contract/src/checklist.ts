/** Checklist of sites with old addresses: the browser reads a password manager's export and sends only rows. */
import * as z from "zod";
import type { EndpointShapes } from "./endpoint.ts";
import { limits } from "./limits.ts";

export const checklistMessages = {
  full: `The checklist holds at most ${limits.checklistMax.toLocaleString("en")} sites`,
  siteRequired: "Every row needs a site",
  siteTooLong: `A site has at most ${limits.siteMax} characters`,
  addressInvalid: "Every row needs an old e-mail address",
} as const;

const site = z
  .string()
  .trim()
  .min(1, checklistMessages.siteRequired)
  .max(limits.siteMax, checklistMessages.siteTooLong)
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), checklistMessages.siteRequired);

const oldAddress = z
  .string()
  .trim()
  .min(3, checklistMessages.addressInvalid)
  .max(limits.emailMax, checklistMessages.addressInvalid)
  .regex(/^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u, checklistMessages.addressInvalid);

export const newChecklistRow = z.object({ site, oldAddress, aliasId: z.uuid().nullable().default(null) });
export type NewChecklistRow = z.infer<typeof newChecklistRow>;

export const addToChecklistBody = z.object({
  rows: z.array(newChecklistRow).min(1).max(limits.checklistRowsPerCall),
});

/** Id of the sealed document, a dot, and the row's number in it. */
export const checklistRowId = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d{1,9}$/);

export const checklistRowWire = z.object({
  id: checklistRowId,
  site: z.string(),
  oldAddress: z.string(),
  /** Alias that replaces the old address; `null` if there is none. It may have been deleted since. */
  aliasId: z.uuid().nullable(),
  done: z.boolean(),
});
export type ChecklistRowWire = z.infer<typeof checklistRowWire>;

const checklistChange = z.object({
  id: checklistRowId,
  done: z.boolean().optional(),
  aliasId: z.uuid().nullable().optional(),
  remove: z.literal(true).optional(),
});
export type ChecklistChange = z.infer<typeof checklistChange>;

export const changeChecklistBody = z.object({
  changes: z.array(checklistChange).min(1).max(limits.checklistRowsPerCall),
});

export const checklistEndpoints = {
  listChecklist: {
    summary: "The checklist of sites that still have an old address, in the order in which they were added",
    status: 200,
    response: z.object({ rows: z.array(checklistRowWire) }),
  },
  addToChecklist: {
    summary: "Add sites to the checklist; a site that is there with the same old address keeps its row and its tick",
    body: addToChecklistBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    errors: [429],
    response: z.object({ added: z.number() }),
  },
  changeChecklist: {
    summary: "Tick rows off, name their new alias, or take them off the checklist; unknown rows are skipped",
    body: changeChecklistBody,
    bodyMaxBytes: limits.requestBodyMaxBytes,
    status: 200,
    errors: [429],
    response: z.object({ changed: z.number() }),
  },
  deleteChecklist: {
    summary: "Delete the whole checklist",
    status: 200,
    errors: [429],
    response: z.object({ message: z.string() }),
  },
} satisfies Record<string, EndpointShapes>;
