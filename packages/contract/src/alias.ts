import * as z from "zod";
import { confirmationState } from "./confirmations.ts";
import { aliasMessages, isAliasName, parseForwardTo } from "./destinations.ts";
import { displayNameField } from "./display-name-field.ts";
import { isKeyId } from "./key-id.ts";
import { labelIds } from "./labels.ts";
import { limits } from "./limits.ts";

const aliasName = z
  .string(aliasMessages.nameRequired)
  .trim()
  .min(1, aliasMessages.nameRequired)
  .refine((text) => text === "" || isAliasName(text), aliasMessages.nameFormat);

export const forwardTo = z
  .string(aliasMessages.forwardToRequired)
  .max(limits.forwardToMax, aliasMessages.forwardToFormat)
  .trim()
  .min(1, aliasMessages.forwardToRequired)
  .superRefine((text, ctx) => {
    if (text === "" || text.length > limits.forwardToMax) return;
    const destinations = parseForwardTo(text);
    if (destinations === null) ctx.addIssue({ code: "custom", message: aliasMessages.forwardToFormat });
    else if (destinations.length > limits.destinationsMax)
      ctx.addIssue({ code: "custom", message: aliasMessages.forwardToTooMany });
  });

const notes = z
  .string(aliasMessages.notesLength)
  .max(limits.notesMax, aliasMessages.notesLength)
  .regex(/^[^\u0000]*$/, "Notes can't hold a NUL character");

/** Which key forwarded mail is encrypted to: `account` (its setting), `off`, or the id of a key. */
const sealTo = z
  .string(aliasMessages.sealTo)
  .toLowerCase()
  .refine((text) => text === "account" || text === "off" || isKeyId(text), aliasMessages.sealTo);

const domain = z
  .string(aliasMessages.domainRequired)
  .trim()
  .toLowerCase()
  .min(1, aliasMessages.domainRequired)
  .max(253, aliasMessages.domainRequired);

export const generatedAliasFields = { domain, forwardTo, notes };

export const createAliasBody = z.object({
  alias: aliasName,
  domain,
  forwardTo,
  notes: notes.optional(),
  labels: labelIds.optional(),
});
export type CreateAliasBody = z.infer<typeof createAliasBody>;

/** The alias as the editor last read it; if it has changed since, the response is 409 `alias_changed`. */
const before = z.object({
  alias: z.string().max(limits.aliasNameMax),
  forwardTo: z.string().max(limits.forwardToMax),
  notes: z.string().max(limits.notesMax).nullable(),
});

export const updateAliasBody = z
  .object({
    alias: aliasName.optional(),
    forwardTo: forwardTo.optional(),
    active: z.boolean().optional(),
    notes: notes.optional(),
    lastForwardTo: forwardTo.optional(),
    sealTo: sealTo.optional(),
    labels: labelIds.optional(),
    pinned: z.boolean("pinned must be true or false").optional(),
    writeByAddress: z.boolean("writeByAddress must be true or false").optional(),
    /** Ends that the alias is shown as made by mail. */
    madeByMail: z.null("madeByMail must be null").optional(),
    /** Shown to correspondents; an empty one removes it, and the name of the alias' own domain counts. */
    displayName: displayNameField.optional(),
    before: before.optional(),
  })
  .refine(
    (body) => Object.entries(body).some(([field, value]) => field !== "before" && value !== undefined),
    aliasMessages.atLeastOne,
  );
export type UpdateAliasBody = z.infer<typeof updateAliasBody>;

export const toggleAliasBody = z.object({ active: z.boolean("active must be true or false") });

export const aliasWire = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  alias: z.string(),
  domain: z.string(),
  forwardTo: z.string(),
  active: z.boolean(),
  notes: z.string().nullable(),
  lastForwardTo: z.string().nullable(),
  providerId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  sealTo: z.string(),
  labels: z.array(z.uuid()),
  /** Pinned aliases are listed before the others. */
  pinned: z.boolean(),
  /** The owner's mailboxes may write to `alias+person=host.example@domain`. */
  writeByAddress: z.boolean(),
  /** Webhooks that responded 410 (Gone): not called until `forwardTo` is saved. Left out when there are none. */
  pausedWebhooks: z.array(z.string()).optional(),
  unconfirmed: z.array(z.object({ address: z.string(), state: confirmationState })).optional(),
  /** Mailboxes whose hosts said that they do not exist: no mail is sent there. Left out when there are none. */
  suspended: z.array(z.string()).optional(),
  /** When the server deletes the alias, unless a bulk change `keep` comes before. Left out otherwise. */
  deletesAt: z.iso.datetime().optional(),
  /** The first mail to the alias made it. `organisation`: the sender's domain, if it was proven. Left out otherwise. */
  madeByMail: z.object({ organisation: z.string().nullable(), at: z.iso.datetime() }).optional(),
  /** Shown to correspondents. Left out without one of its own: that of its own domain counts, if there is one. */
  displayName: z.string().optional(),
});
export type AliasWire = z.infer<typeof aliasWire>;

/** `displayName`: the alias' own, else that of its domain; left out without either. */
export const senderWire = z.object({
  id: z.uuid(),
  alias: z.string(),
  domain: z.string(),
  displayName: z.string().optional(),
});
