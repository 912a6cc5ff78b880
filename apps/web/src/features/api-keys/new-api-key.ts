import { apiKeyMessages, type CreateApiKeyBody, type KeyScope, keyScopes, limits } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

export const scopeTexts: Readonly<Record<KeyScope, { title: string; means: string }>> = {
  "aliases:create": { title: t("Create aliases"), means: t("They forward to your confirmed mailboxes only.") },
  "aliases:read": { title: t("Read aliases"), means: t("Addresses, where they forward, notes. Exports too.") },
  "aliases:write": { title: t("Change aliases"), means: t("Edit, pause and delete them.") },
  "account:read": { title: t("Read the account"), means: t("Your mailboxes, defaults and figures.") },
};

/** Days until a key expires; `null`: never. */
export const expiryDays = [30, 90, 365, null] as const;
type ExpiryDays = (typeof expiryDays)[number];

export const expiryLabel = (days: ExpiryDays): string =>
  days === null ? t("Never") : days === 365 ? t("In a year") : t("In {days} days", { days });

export interface ApiKeyDraft {
  name: string;
  scopes: readonly KeyScope[];
  days: ExpiryDays;
}

export const emptyApiKey: ApiKeyDraft = { name: "", scopes: ["aliases:create"], days: 365 };

export interface NewApiKeyErrors {
  name?: string;
  scopes?: string;
}

export const apiKeyNameLeft = (name: string): number => limits.keyNameMax - [...name.trim()].length;

export function newApiKeyErrors({ name, scopes }: ApiKeyDraft): NewApiKeyErrors {
  const errors: NewApiKeyErrors = {};
  if (name.trim() === "") errors.name = apiKeyMessages.nameRequired;
  else if (apiKeyNameLeft(name) < 0) errors.name = apiKeyMessages.nameLong;
  if (scopes.length === 0) errors.scopes = apiKeyMessages.scopesRequired;
  return errors;
}

/** Adds or removes a scope; the result is in the contract's order. */
export function toggleScope(scopes: readonly KeyScope[], scope: KeyScope): KeyScope[] {
  return keyScopes.filter((known) => (known === scope ? !scopes.includes(known) : scopes.includes(known)));
}

const DAY_MS = 24 * 3600 * 1000;

export function newApiKeyBody({ name, scopes, days }: ApiKeyDraft, now: Date): CreateApiKeyBody {
  const expiresAt = days === null ? null : new Date(now.getTime() + days * DAY_MS).toISOString();
  return { name: name.trim(), scopes: [...scopes], expiresAt };
}

/** Text of the QR code: server and key, so that a client needs one scan. */
export const qrText = (origin: string, secret: string): string => `${origin}|${secret}`;
