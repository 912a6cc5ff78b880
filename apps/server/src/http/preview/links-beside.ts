/**
 * A message's HTML with links that open a tab of their own, and without the elements that reach out past a Content Security
 * Policy: browsers connect for `<link rel="preconnect">` whatever the policy says. The frame's sandbox and policy hold for
 * everything else.
 *
 * A name is changed wherever it stands, in comments and attribute values too, and nothing is ever taken out: what is a tag to a
 * browser is never judged here, and no new tag can come about from what is left around a removed one. One pass. Pure.
 */

const opening = /<(a|area|animate|animatemotion|animatetransform|base|iframe|link|meta|set)(?=[\s/>])/gi;
/**
 * The first of two attributes of one name counts, so these win. Without quotes and `>`, for within an attribute value they
 * would end it.
 */
const BESIDE = " target=_blank rel=noreferrer ping";

/** @example linksBeside('<a href="/x" target="_self">') // '<base target="_blank"><a target=_blank rel=noreferrer ping href="/x" target="_self">' */
export function linksBeside(html: string): string {
  return `<base target="_blank">${html.replace(opening, (tag, name: string) => tag + (isLink(name) ? BESIDE : "-off"))}`;
}

/** All others become elements that no browser knows: an SVG animation could change the target of a link around it. */
const isLink = (name: string): boolean => /^a(?:rea)?$/i.test(name);
