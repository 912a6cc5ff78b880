import * as z from "zod";
import { generatedAliasFields } from "./alias.ts";
import { confirmationState } from "./confirmations.ts";
import { isMailbox } from "./destinations.ts";
import { aliasFormats, defaultFormats } from "./generated-names.ts";
import { labelIds } from "./labels.ts";
import { limits } from "./limits.ts";

export const mailboxMessages = {
  addressInvalid: "Please enter a valid email address",
  tooMany: `An account can add ${limits.addedMailboxesMax} mailboxes at most. Please remove one you do not need.`,
  format: `format must be one of ${aliasFormats.join(", ")}`,
  defaultFormat: `format must be one of ${defaultFormats.join(", ")}`,
  unknown: "This is none of your mailboxes",
  unconfirmed: "Please confirm this mailbox first",
  noneConfirmed: "You have no confirmed mailbox to forward to yet. Please confirm one in Settings, “Mailboxes”.",
  atLeastOne: "At least one of domain, format, siteInName and mailboxId must be provided",
  ids: `mailboxIds must hold 1 to ${limits.destinationsMax} ids of your mailboxes`,
  either: "Please give either mailboxIds or forwardTo",
} as const;

export const mailboxWire = z.object({
  id: z.uuid(),
  email: z.string(),
  confirmed: z.boolean(),
  state: confirmationState,
  /** The default mailbox is the destination of aliases created without one. */
  isDefault: z.boolean(),
  aliasCount: z.number(),
  createdAt: z.iso.datetime(),
});
export type MailboxWire = z.infer<typeof mailboxWire>;

export const mailboxAlias = z.object({
  id: z.uuid(),
  alias: z.string(),
  domain: z.string(),
  isOnly: z.boolean(),
});

export const addMailboxBody = z.object({
  address: z
    .string(mailboxMessages.addressInvalid)
    .max(1024, mailboxMessages.addressInvalid)
    .trim()
    .normalize("NFC")
    .refine((text) => isMailbox(text), mailboxMessages.addressInvalid),
});

const domain = generatedAliasFields.domain;

export const accountDefaults = z.object({
  /** Default domain of new aliases; the server's first one if the account chose none, or one that no longer exists. */
  domain: z.string(),
  format: z.enum(defaultFormats),
  /** Whether generated names begin with the site's name if the program sends it. */
  siteInName: z.boolean(),
  mailboxId: z.uuid().nullable(),
});
export type AccountDefaultsWire = z.infer<typeof accountDefaults>;

/** Changed defaults; absent fields keep their values. `mailboxId: null` undoes the account's choice. */
export const accountDefaultsChange = z
  .object({
    domain: domain.optional(),
    format: z.enum(defaultFormats, mailboxMessages.defaultFormat).optional(),
    siteInName: z.boolean("siteInName must be true or false").optional(),
    mailboxId: z.uuid(mailboxMessages.unknown).toLowerCase().nullable().optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), mailboxMessages.atLeastOne);
export type AccountDefaultsChange = z.infer<typeof accountDefaultsChange>;

const format = z.enum(aliasFormats, mailboxMessages.format);
const hostname = z.string("hostname must be a text").max(limits.webhookUrlMax, "hostname is too long");

export const generatedNameBody = z.object({
  format: format.optional(),
  domain: domain.optional(),
  hostname: hostname.optional(),
});

/** A generated name, free at the time of the response and not reserved. */
export const generatedName = z.object({ alias: z.string(), domain: z.string() });

export const generateAliasBody = generatedNameBody
  .extend({
    mailboxIds: z
      .array(z.uuid(mailboxMessages.unknown).toLowerCase(), mailboxMessages.ids)
      .min(1, mailboxMessages.ids)
      .max(limits.destinationsMax, mailboxMessages.ids)
      .optional(),
    forwardTo: generatedAliasFields.forwardTo.optional(),
    notes: generatedAliasFields.notes.optional(),
    labels: labelIds.optional(),
  })
  .refine((body) => body.mailboxIds === undefined || body.forwardTo === undefined, mailboxMessages.either);
export type GenerateAliasBody = z.infer<typeof generateAliasBody>;
