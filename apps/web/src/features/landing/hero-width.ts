/**
 * How many characters the hero makes room for: its letters are sized so that the longest domain fills the page's width, and a
 * shorter one moves nothing. The style sheet has a rule for each number, because the page may carry no inline style.
 */
export type HeroWidth = string;

/** Longer domains are cut. */
export const widest = 40;

/** @param atFirst what the server wrote into the page, for as long as the list isn't known */
export function heroWidth(domains: readonly string[] | null, atFirst: string): HeroWidth {
  if (domains === null) return atFirst;
  return String(Math.min(widest, Math.max(...domains.map((domain) => domain.length))));
}
