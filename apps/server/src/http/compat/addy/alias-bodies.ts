/** Schemas for the request bodies of addy.io's calls about aliases. Unknown fields are ignored. */
import { isAliasName, limits } from "@kauke/contract";
import * as z from "zod";
import { generatedFormats } from "./wire.ts";

/** Maximum characters of a name that the user chooses, as on addy.io's server. */
const CUSTOM_NAME_MAX = 50;
/** Maximum number of aliases in one bulk call. */
const BULK_MAX = 25;

const aliasId = z.uuid("This must be the id of an alias").toLowerCase();
const RECIPIENTS = `This must be a list of up to ${limits.destinationsMax} ids of confirmed mailboxes`;
const recipientIds = z
  .array(z.uuid(RECIPIENTS).toLowerCase(), RECIPIENTS)
  .max(limits.destinationsMax, RECIPIENTS)
  .nullish()
  .transform((ids) => [...new Set(ids ?? [])]);

/** Descriptions above the maximum length are cut, not refused, because some clients write descriptions themselves. */
const description = z.string("This must be a text").nullish();

const formats = [...(Object.keys(generatedFormats) as (keyof typeof generatedFormats)[]), "custom"] as const;
const NAME = "A name has letters, digits, hyphens, underscores and single dots inside";

export const createBody = z
  .object({
    /** Domain of the new alias; the account's default domain if absent. */
    domain: z.string("Please choose a domain").trim().toLowerCase().min(1, "Please choose a domain").nullish(),
    format: z.enum(formats, `This must be one of ${formats.join(", ")}`).nullish(),
    local_part: z.string("This must be a text").nullish(),
    description,
    recipient_ids: recipientIds,
  })
  .superRefine(({ format, local_part: name }, ctx) => {
    if (format !== "custom") return;
    const path = ["local_part"];
    if (!name) ctx.addIssue({ code: "custom", path, message: "Please enter a name" });
    else if (name.length > CUSTOM_NAME_MAX)
      ctx.addIssue({ code: "custom", path, message: `A name has ${CUSTOM_NAME_MAX} characters at most` });
    else if (!isAliasName(name)) ctx.addIssue({ code: "custom", path, message: NAME });
  });
export type CreateBody = z.infer<typeof createBody>;

export const updateBody = z.object({ description });

export const idBody = z.object({ id: aliasId });

export const recipientsBody = z.object({ alias_id: aliasId, recipient_ids: recipientIds });

const IDS = `This must be a list of 1 to ${BULK_MAX} ids of aliases`;
export const bulkBody = z.object({ ids: z.array(aliasId, IDS).min(1, IDS).max(BULK_MAX, IDS) });
export const bulkRecipientsBody = bulkBody.extend({ recipient_ids: recipientIds });
