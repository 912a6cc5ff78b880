/**
 * The number of characters the hero makes room for: the font size fits the longest domain to the page's width, and a
 * shorter one causes no layout shift. The style sheet has a rule for each number, because the page may have no inline
 * styles.
 */
export type HeroWidth = string;

/** Maximum width in characters; longer domains are cut off. */
export const WIDEST = 40;

/** @param atFirst width that the server wrote into the page, used until the list of domains is loaded */
export function heroWidth(domains: readonly string[] | null, atFirst: string): HeroWidth {
  if (domains === null) return atFirst;
  return String(Math.min(WIDEST, Math.max(...domains.map((domain) => domain.length))));
}
