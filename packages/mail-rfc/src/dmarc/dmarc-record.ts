/**
 * Parses a DMARC record (RFC 7489 §6.3, RFC 9989 §4.7) into the policies and alignment modes it asks for. Lenient
 * like tag-list.ts with DKIM's tags: tag names in any case, the last of several tags with one name.
 */

export type DmarcPolicy = "none" | "quarantine" | "reject";

export interface DmarcRecord {
  /** Policies for the domain, its subdomains, and subdomains that do not exist; `null` for a record without effect. */
  policies: { p: DmarcPolicy; sp: DmarcPolicy | undefined; np: DmarcPolicy | undefined } | null;
  isDkimStrict: boolean;
  isSpfStrict: boolean;
  /** Whether each policy applies one level weaker (`t=y`): `reject` as `quarantine`, `quarantine` as `none`. */
  isTest: boolean;
  /** Whether the domain says it is a public suffix (`psd=y`), or that it is none (`psd=n`). */
  publicSuffix: "y" | "n" | null;
}

/** Start of a DMARC record: the version is the first tag, with its value in upper case (RFC 9989 §4.7). */
const VERSION = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const policyNames: ReadonlySet<string> = new Set<DmarcPolicy>(["none", "quarantine", "reject"]);
/** A URI for reports (RFC 9989 §4.8), perhaps with an obsolete size limit. */
const REPORT_URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9\-._~:/?#[\]@$&'()*+;=]|%[0-9a-f]{2})*$/i;
const SIZE_LIMIT = /![0-9]+[kmgt]?$/i;

/** @returns whether a TXT record is a DMARC record */
export function isDmarcRecord(text: string): boolean {
  return VERSION.test(text.trim());
}

/** @param text a DMARC record */
export function readDmarcRecord(text: string): DmarcRecord {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    // A part without "=" counts as a tag without a value.
    const name = equals < 0 ? part : part.slice(0, equals);
    tags.set(name.trim().toLowerCase(), equals < 0 ? "" : part.slice(equals + 1).trim());
  }
  const value = (name: string): string | undefined => tags.get(name)?.toLowerCase();
  const suffix = value("psd");
  return {
    policies: policiesOf(value, tags.get("rua") ?? ""),
    isDkimStrict: value("adkim") === "s",
    isSpfStrict: value("aspf") === "s",
    isTest: value("t") === "y",
    publicSuffix: suffix === "y" || suffix === "n" ? suffix : null,
  };
}

/** A record with an invalid policy that asks for reports acts as `p=none` (RFC 9989 §4.10.1). */
function policiesOf(value: (name: string) => string | undefined, reports: string): DmarcRecord["policies"] {
  const [p, sp, np] = [value("p"), value("sp"), value("np")];
  if (isPolicy(p) && (sp === undefined || isPolicy(sp)) && (np === undefined || isPolicy(np))) return { p, sp, np };
  return reports.split(",").some(isReportUri) ? { p: "none", sp: undefined, np: undefined } : null;
}

function isPolicy(text: string | undefined): text is DmarcPolicy {
  return text !== undefined && policyNames.has(text);
}

function isReportUri(text: string): boolean {
  return REPORT_URI.test(text.trim().replace(SIZE_LIMIT, ""));
}
