import * as z from "zod";
import { forwardTo } from "./alias.ts";
import { type ErrorCode, errorCodes } from "./errors.ts";
import { labelMessages } from "./labels.ts";
import { limits } from "./limits.ts";

export const bulkMessages = {
  ids: `Between 1 and ${limits.aliasesMax} alias ids are needed`,
  oneChange:
    "The change must be exactly one of: active; addLabel, removeLabel or both; forwardTo; pinned; delete: true, with inSeconds or without; keep: true",
  inSeconds: `inSeconds must be a whole number from 1 to ${limits.deletionDelayMaxSeconds}, with delete: true`,
} as const;

const labelId = z.guid(labelMessages.unknown).toLowerCase();

const fields = {
  active: z.boolean("active must be true or false").optional(),
  addLabel: labelId.optional(),
  removeLabel: labelId.optional(),
  forwardTo: forwardTo.optional(),
  pinned: z.boolean("pinned must be true or false").optional(),
  delete: z.literal(true, "delete must be true").optional(),
  /** The aliases receive until then and are deleted by the server itself; `keep` prevents it. */
  inSeconds: z
    .int(bulkMessages.inSeconds)
    .min(1, bulkMessages.inSeconds)
    .max(limits.deletionDelayMaxSeconds, bulkMessages.inSeconds)
    .optional(),
  keep: z.literal(true, "keep must be true").optional(),
};

const kinds: Record<keyof typeof fields, string> = {
  active: "active",
  addLabel: "labels",
  removeLabel: "labels",
  forwardTo: "destinations",
  pinned: "pinned",
  delete: "deletion",
  inSeconds: "deletion",
  keep: "keep",
};

const change = z
  .strictObject(fields, bulkMessages.oneChange)
  .refine((given) => {
    const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    return new Set(names.map((name) => kinds[name as keyof typeof fields])).size === 1;
  }, bulkMessages.oneChange)
  .refine((given) => given.inSeconds === undefined || given.delete !== undefined, bulkMessages.inSeconds);

export const bulkAliasBody = z.object({
  aliasIds: z
    .array(z.guid(bulkMessages.ids).toLowerCase(), bulkMessages.ids)
    .min(1, bulkMessages.ids)
    .max(limits.aliasesMax, bulkMessages.ids),
  change,
});
export type BulkAliasBody = z.infer<typeof bulkAliasBody>;
export type BulkAliasChange = BulkAliasBody["change"];

/** `changed` counts the aliases that have the requested state now, also those that had it before. */
export const bulkAliasResponse = z.object({
  changed: z.number(),
  failed: z.array(z.object({ id: z.uuid(), code: z.enum(errorCodes as readonly ErrorCode[]) })),
});
export type BulkAliasResponse = z.infer<typeof bulkAliasResponse>;
