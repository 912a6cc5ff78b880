/**
 * Values in pages that only the running server knows: settings as `<meta>` elements for the web app and in place of the
 * placeholders of prerendered pages, and absolute URLs for search engines.
 */
import { googleSignInMeta, linkPlaceholder, pagePlaceholders, retentionDays } from "@kauke/contract";
import { listDomains } from "../../core/alias/alias.ts";
import type { Config } from "../../settings/config.ts";

/** `<meta>` element that tells the web app whether federated sign-in is configured. */
function googleMeta(isOn: boolean): string {
  return `<meta name="${googleSignInMeta}" content="${isOn ? "on" : "off"}">`;
}

export interface SiteSettings {
  /** URLs in `<meta name="links">`, for the web app's footer and feedback. */
  links: Config["links"];
  domains: readonly string[];
  publicUrl: URL;
  /** Whether federated sign-in is configured (`<meta name="google-sign-in">`). */
  hasGoogle: boolean;
  /**
   * Days for which logs are kept, for the Privacy Policy (`<meta name="logs-kept">`); null for the specification's
   * number.
   */
  logDays: number | null;
}

/** Maximum characters of the longest domain for which the style sheet has rules; longer domains are cut. */
const LONGEST_SHOWN = 40;

/** Settings as `<meta>` elements, which the web app reads (`app/links.ts`, `app/site-domain.ts`). */
export function pageMetas({ links, domains, hasGoogle, logDays }: SiteSettings): string {
  return [
    `<meta name="links" content="${escapeAttribute(JSON.stringify(links))}">`,
    `<meta name="domain" content="${firstDomain(domains)}" data-longest="${longestDomain(domains)}">`,
    `<meta name="logs-kept" content="${logsKept(logDays)}">`,
    googleMeta(hasGoogle),
  ].join("");
}

/**
 * Elements for a page's head: its canonical URL, or `noindex`.
 * @param canonicalPath e.g. `/about`; null for pages that must not be indexed
 */
export function pageAddress({ publicUrl }: SiteSettings, canonicalPath: string | null): string {
  if (canonicalPath === null) return '<meta name="robots" content="noindex">';
  const address = escapeAttribute(new URL(canonicalPath, publicUrl.origin).href);
  return `<link rel="canonical" href="${address}"><meta property="og:url" content="${address}">`;
}

/** Replaces every placeholder of a prerendered page by its value. */
export function fillPage(page: string, { links, domains, publicUrl, logDays }: SiteSettings): string {
  const values: [placeholder: string, value: string][] = [
    ...Object.entries(links).map(([name, url]): [string, string] => [linkPlaceholder(name), url]),
    [pagePlaceholders.origin, publicUrl.origin],
    [pagePlaceholders.logsKept, logsKept(logDays)],
    [pagePlaceholders.domain, firstDomain(domains)],
    [pagePlaceholders.longestDomain, longestDomain(domains)],
  ];
  return values.reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, () => escapeAttribute(value)),
    page,
  );
}

function firstDomain(domains: readonly string[]): string {
  return listDomains(domains)[0] ?? "";
}

function longestDomain(domains: readonly string[]): string {
  return String(Math.min(LONGEST_SHOWN, Math.max(0, ...domains.map((domain) => domain.length))));
}

/** Retention of logs: the operator's setting, or the specification's value. */
function logsKept(logDays: number | null): string {
  const days = logDays ?? retentionDays.technicalLogs;
  return `${days} ${days === 1 ? "day" : "days"}`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
