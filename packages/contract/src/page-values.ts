/**
 * What only the running server knows stands in pages drawn at build time as these placeholders. The names end in `.invalid`
 * (RFC 2606), so that one that was forgotten leads nowhere.
 */
export const pagePlaceholders = {
  /** The public URL's origin. */
  origin: "https://origin.invalid",
  /** The first domain of the list. */
  domain: "first-domain.invalid",
  /** Characters of the longest domain. */
  longestDomain: "longest-domain.invalid",
} as const;

/** @param name of a link in the page's settings, e.g. `docs` */
export function linkPlaceholder(name: string): string {
  return `https://${name.toLowerCase()}.link.invalid/`;
}
