/** An alias as the provider's API writes it: what is sent, and a strict reader of what comes back. */
import { createHash } from "node:crypto";
import { domainToASCII, domainToUnicode } from "node:url";
import type { ProviderRecord } from "../../core/forwarding/forwarding-provider.ts";
import type { ProviderCopy } from "../../core/forwarding/provider-account.ts";

const MARK = "kauke:";
/** In place of an alias' id, in copies of `operator-copies.ts`. */
export const OPERATORS = "postmaster";

/** All fields, always: the provider clears some that are left out, and takes others from the domain or the account. */
export function bodyOf(aliasId: string, record: Omit<ProviderRecord, "password" | "held" | "domain">) {
  return {
    name: record.name,
    recipients: record.recipients,
    description: `${MARK}${aliasId}`,
    labels: [],
    is_enabled: record.isEnabled,
    error_code_if_disabled: record.codeIfDisabled,
    has_recipient_verification: false,
    has_imap: false,
  };
}

/** Digest of all that is sent of an alias, except the password. */
export function recordMark(aliasId: string, record: ProviderRecord): string {
  return digest(JSON.stringify([record.domain, bodyOf(aliasId, record)]));
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * The provider stores a domain in Unicode, and finds it by that form only; ours are in ASCII.
 * @example domainPath("xn--kauk-yva.example") // "/v1/domains/kauk%C4%97.example"
 */
export const domainPath = (domain: string): string =>
  `/v1/domains/${encodeURIComponent(domainToUnicode(domain) || domain)}`;

export function aliasesPath(domain: string, idOrName?: string): string {
  const all = `${domainPath(domain)}/aliases`;
  return idOrName === undefined ? all : `${all}/${encodeURIComponent(idOrName)}`;
}

/** Either form of a domain, in ASCII and lower case; what is no domain becomes the empty text. */
export const asciiNameOf = (domain: unknown): string => (typeof domain === "string" ? domainToASCII(domain) : "");

/** @returns `null` for what is no alias of this domain */
export function readCopy(json: unknown, domain: string): ProviderCopy | null {
  const fields = Object(json) as Record<string, unknown>;
  const { id, name, recipients, description, is_enabled: isEnabled } = fields;
  const isIn = asciiNameOf((Object(fields["domain"]) as Record<string, unknown>)["name"]) === domain;
  if (!isIn || !isId(id) || !isName(name) || typeof isEnabled !== "boolean") return null;
  if (!Array.isArray(recipients) || !recipients.every(isPlainText)) return null;
  return {
    providerId: id,
    address: `${name}@${domain}`.toLowerCase(),
    recipients,
    isEnabled,
    codeIfDisabled: Number(fields["error_code_if_disabled"] ?? 250),
    aliasId: aliasIdOf(description),
    ...(fields["has_imap"] === true && { hasImap: true }),
    ...(isOperators(description) && { isOperators: true }),
  };
}

export const isId = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value);

/** Neither spaces nor characters that a terminal would act on. */
const isPlainText = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 2048 && /^[^\s\p{C}]+$/u.test(value);

/** Names of all copies that differ are in memory at once; a regular expression can be long. */
const isName = (value: unknown): value is string => isPlainText(value) && value.length <= 512;

function aliasIdOf(description: unknown): string | null {
  if (typeof description !== "string") return null;
  return /^kauke:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(description.trim())?.[1] ?? null;
}

const isOperators = (description: unknown) =>
  typeof description === "string" && description.trim() === `${MARK}${OPERATORS}`;

/** Compares as the provider stores them: without order and duplicates, mailboxes without case. */
export function haveSameRecipients(one: readonly string[], other: readonly string[]): boolean {
  return isWithin(one, other) && isWithin(other, one);
}

export function isWithin(few: readonly string[], many: readonly string[]): boolean {
  const all = new Set(many.map(storedForm));
  return few.every((recipient) => all.has(storedForm(recipient)));
}

function storedForm(recipient: string): string {
  if (!/^https?:\/\//i.test(recipient)) return recipient.toLowerCase();
  return URL.canParse(recipient) ? new URL(recipient).href : recipient;
}

/** Whether the response to a change shows what was sent. */
export function showsRecord(copy: ProviderCopy, aliasId: string, record: ProviderRecord): boolean {
  return (
    copy.address === `${record.name}@${record.domain}` &&
    copy.aliasId === aliasId &&
    copy.isEnabled === record.isEnabled &&
    (record.isEnabled || copy.codeIfDisabled === record.codeIfDisabled) &&
    haveSameRecipients(copy.recipients, record.recipients)
  );
}

/** The provider looks aliases up by id or name: such a name could stand for another alias' id. */
export const isNameLikeId = (name: string): boolean => /^[0-9a-f]{24}$/.test(name);
