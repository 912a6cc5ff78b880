import * as z from "zod";
import { limits } from "./limits.ts";

export const labelMessages = {
  nameRequired: "A label needs a name",
  nameLength: `A label's name has at most ${limits.labelNameMax} characters`,
  nameFormat: "A label's name can't hold line breaks or invisible characters",
  nameTaken: "You already have a label with this name",
  colour: "Please choose one of the colours",
  tooMany: `An account holds ${limits.labelsMax} labels at most. Please delete one you do not need.`,
  unknown: "One of these labels does not exist any more",
  tooManyOnAlias: `An alias has at most ${limits.labelsPerAliasMax} labels`,
  atLeastOne: "At least one of name and colour must be provided",
} as const;

/** Colours of labels; the web app has a CSS variable `--color-label-<name>` for each. */
export const labelColours = ["grey", "red", "orange", "olive", "green", "teal", "blue", "violet"] as const;
export type LabelColour = (typeof labelColours)[number];

// Characters that can't be seen: control, invisible and direction-changing ones.
const UNSEEN =
  /[\u{0}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}\u{d800}-\u{dfff}]/u;

const name = z
  .string(labelMessages.nameRequired)
  .trim()
  .min(1, labelMessages.nameRequired)
  .max(limits.labelNameMax, labelMessages.nameLength)
  .refine((text) => !UNSEEN.test(text), labelMessages.nameFormat);

const colour = z.enum(labelColours, labelMessages.colour);

export const createLabelBody = z.object({ name, colour });
export type CreateLabelBody = z.infer<typeof createLabelBody>;

export const changeLabelBody = z
  .object({ name: name.optional(), colour: colour.optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), labelMessages.atLeastOne);
export type ChangeLabelBody = z.infer<typeof changeLabelBody>;

export const labelWire = z.object({ id: z.uuid(), name: z.string(), colour: z.enum(labelColours) });
export type LabelWire = z.infer<typeof labelWire>;

/** Comparison key of a label's name, equal for names that differ only in case or Unicode form. */
export const sameLabelName = (text: string): string => text.trim().normalize("NFC").toLowerCase();

export const labelIds = z
  .array(z.guid(labelMessages.unknown).toLowerCase(), labelMessages.unknown)
  .max(limits.labelsPerAliasMax, labelMessages.tooManyOnAlias)
  .transform((ids) => [...new Set(ids)]);
