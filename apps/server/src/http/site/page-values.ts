/**
 * What only the running server knows of a page: settings as `<meta>` elements for the web app to read, the same in place of the
 * placeholders of pages drawn at build time, and the addresses search engines want whole.
 */
import { linkPlaceholder, pagePlaceholders, retentionDays } from "@kauke/contract";
import type { Config } from "../../config.ts";
import { listDomains } from "../../core/alias/list-domains.ts";
import { googleMeta } from "./google-meta.ts";

export interface SiteSettings {
  /** Put into the page as `<meta name="links">`; the web app takes footer and feedback addresses from it. */
  links: Config["links"];
  domains: readonly string[];
  publicUrl: URL;
  /** Put into the page as `<meta name="google-sign-in">`. */
  hasGoogle: boolean;
  /** Put into the page as `<meta name="logs-kept">`, for the Privacy Policy. */
  logDays: number | null;
}

/** Longer ones are cut; the style sheet has rules up to this. */
const longestShown = 40;

/** The settings as the web app reads them (`app/links.ts`, `app/site-domain.ts`). */
export function pageMetas({ links, domains, hasGoogle, logDays }: SiteSettings): string {
  return [
    `<meta name="links" content="${escapeAttribute(JSON.stringify(links))}">`,
    `<meta name="domain" content="${firstDomain(domains)}" data-longest="${longestDomain(domains)}">`,
    `<meta name="logs-kept" content="${logsKept(logDays)}">`,
    googleMeta(hasGoogle),
  ].join("");
}

/** @param canonicalPath e.g. `/about`; null keeps the page out of search engines */
export function pageAddress({ publicUrl }: SiteSettings, canonicalPath: string | null): string {
  if (canonicalPath === null) return '<meta name="robots" content="noindex">';
  const address = escapeAttribute(new URL(canonicalPath, publicUrl.origin).href);
  return `<link rel="canonical" href="${address}"><meta property="og:url" content="${address}">`;
}

/** Every placeholder of a drawn page replaced by what it stands for. */
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
  return String(Math.min(longestShown, Math.max(0, ...domains.map((domain) => domain.length))));
}

/** The specification's time unless the operator has said another. */
function logsKept(logDays: number | null): string {
  const days = logDays ?? retentionDays.technicalLogs;
  return `${days} ${days === 1 ? "day" : "days"}`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
