import * as z from "zod";
import { limits } from "./limits.ts";

export const keyScopes = ["aliases:create", "aliases:read", "aliases:write", "account:read"] as const;
export type KeyScope = (typeof keyScopes)[number];

export const apiKeyMessages = {
  nameRequired: "Name is required",
  nameLong: `A name has ${limits.keyNameMax} characters at most`,
  scopesRequired: "Choose at least one thing that the key may do",
  scopeUnknown: `A scope is one of ${keyScopes.join(", ")}`,
  expiryFormat: "The expiry must be a date and time, e.g. 2027-01-31T00:00:00Z",
  expiryPast: "The expiry must be in the future",
  expiryFar: `A key expires within ${limits.apiKeyYearsMax} years, or never`,
  tooMany: `An account has ${limits.apiKeysMax} API keys at most. Delete one that you do not need.`,
} as const;

/** An API key is `kauke`, 41 random characters and 6 of checksum. */
export const apiKeyPattern = /^kauke[A-Za-z0-9]{47}$/;

const keyScope = z.enum(keyScopes, apiKeyMessages.scopeUnknown);

export const createApiKeyBody = z.object({
  name: z
    .string(apiKeyMessages.nameRequired)
    .trim()
    .min(1, apiKeyMessages.nameRequired)
    .refine((text) => [...text].length <= limits.keyNameMax, apiKeyMessages.nameLong),
  scopes: z
    .array(keyScope, apiKeyMessages.scopesRequired)
    .min(1, apiKeyMessages.scopesRequired)
    .max(keyScopes.length, apiKeyMessages.scopeUnknown),
  /** An API key expires never if this is `null` or absent. */
  expiresAt: z.iso.datetime({ offset: true, error: apiKeyMessages.expiryFormat }).nullish(),
});
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;

export const apiKeyWire = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(keyScopes)),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedOn: z.iso.date().nullable(),
  createdAt: z.iso.datetime(),
});
export type ApiKeyWire = z.infer<typeof apiKeyWire>;
