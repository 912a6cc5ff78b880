/**
 * Placeholders for values that only the running server knows, in pages drawn at build time. The names end in `.invalid`
 * (RFC 2606), so that a placeholder left in a page by mistake links nowhere.
 */
export const pagePlaceholders = {
  /** Origin of the public URL. */
  origin: "https://origin.invalid",
  /** First of the configured domains. */
  domain: "first-domain.invalid",
  /** Retention of technical logs, e.g. `90 days`. */
  logsKept: "logs-kept.invalid",
  /** Length of the longest configured domain, in characters. */
  longestDomain: "longest-domain.invalid",
} as const;

/** Paths of the two guides that the server itself serves; links lead there unless the operator sets other addresses. */
export const docsPath = "/docs";
export const smtpGuidePath = "/docs/smtp";

/**
 * Placeholder for an address that the operator can configure.
 * @param name of the link in the page's settings, e.g. `docs`
 */
export function linkPlaceholder(name: string): string {
  return `https://${name.toLowerCase()}.link.invalid/`;
}
