/**
 * What only the running server knows stands in pages drawn at build time as these placeholders. The names end in `.invalid`
 * (RFC 2606), so that one that was forgotten leads nowhere.
 */
export const pagePlaceholders = {
  /** The public URL's origin. */
  origin: "https://origin.invalid",
  /** The first domain of the list. */
  domain: "first-domain.invalid",
  /** How long technical logs are kept, e.g. `90 days`. */
  logsKept: "logs-kept.invalid",
  /** Characters of the longest domain. */
  longestDomain: "longest-domain.invalid",
} as const;

/** The guides that the server serves itself: where their links lead while the operator names no other place. */
export const docsPath = "/docs";
export const smtpGuidePath = "/docs/smtp";

/** @param name of a link in the page's settings, e.g. `docs` */
export function linkPlaceholder(name: string): string {
  return `https://${name.toLowerCase()}.link.invalid/`;
}
