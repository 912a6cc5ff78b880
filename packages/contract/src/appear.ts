/** Aliases that the first mail to them makes, on own domains. */
import * as z from "zod";
import { isAliasName } from "./destinations.ts";
import { displayNameField } from "./display-name-field.ts";
import { limits } from "./limits.ts";

export const appearMessages = {
  prefix:
    "A beginning has at most 64 of the characters a-z, 0-9, dot, hyphen and underscore, and begins with one of a-z and 0-9",
  prefixesMany: `At most ${limits.appearPrefixesMax} beginnings are possible`,
  prefixesNone: "Please enter at least one beginning",
  name: "This is not the name of an alias",
  neverMany: `At most ${limits.neverNamesMax} names can be refused for good`,
  notOwn: "Only names on own domains that work can be refused",
  atLeastOne: "appear, prefixes, neverNames or displayName is needed",
} as const;

/** `off`: none; `all`: every name (catch-all); `prefixes`: names that begin with one of the prefixes. */
export const appearModes = ["off", "all", "prefixes"] as const;
export type AppearMode = (typeof appearModes)[number];

/** Lower case. */
const PREFIX = /^[a-z0-9][a-z0-9._-]*$/;

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const prefixes = z
  .array(
    z
      .string(appearMessages.prefix)
      .trim()
      .toLowerCase()
      .max(limits.aliasNameMax, appearMessages.prefix)
      .regex(PREFIX, appearMessages.prefix),
    appearMessages.prefix,
  )
  .max(limits.appearPrefixesMax, appearMessages.prefixesMany)
  .transform(unique);

const neverNames = z
  .array(
    z
      .string(appearMessages.name)
      .trim()
      .toLowerCase()
      .max(limits.aliasNameMax, appearMessages.name)
      .refine(isAliasName, appearMessages.name),
    appearMessages.name,
  )
  .max(limits.neverNamesMax, appearMessages.neverMany)
  .transform(unique);

export const appearFields = {
  appear: z.enum(appearModes),
  /** Of names, in lower case; they count while `appear` is `prefixes`. */
  prefixes: z.array(z.string()),
  /** Names that no mail makes, in lower case. */
  neverNames: z.array(z.string()),
};

/** A list replaces the one before. */
export const changeAccountDomainBody = z
  .object({
    appear: z.enum(appearModes, "appear must be off, all or prefixes").optional(),
    prefixes: prefixes.optional(),
    neverNames: neverNames.optional(),
    /** Shown to correspondents of aliases on the domain; an empty one removes it. */
    displayName: displayNameField.optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), appearMessages.atLeastOne);
export type ChangeAccountDomainBody = z.infer<typeof changeAccountDomainBody>;
