/**
 * Rewrites a message's HTML so that links open in a new tab, and disables elements that a Content Security Policy does
 * not cover: browsers connect for `<link rel="preconnect">` whatever the policy says. The frame's sandbox and policy
 * cover everything else.
 *
 * Tag names are changed wherever they occur, even in comments and attribute values, and nothing is removed. So the code
 * need not decide what a browser would parse as a tag, and the change cannot create new tags. One pass. Pure.
 */

const opening = /<(a|area|animate|animatemotion|animatetransform|base|iframe|link|meta|set)(?=[\s/>])/gi;
/**
 * Attributes for links. The first of two attributes with one name wins, so they override the link's own. They contain
 * no quotes and no `>`, which would end an attribute value around them.
 */
const LINK_ATTRIBUTES = " target=_blank rel=noreferrer ping";

/**
 * @example openLinksInTabs('<a href="/x" target="_self">') // '<base target="_blank"><a target=_blank rel=noreferrer
 * ping href="/x" target="_self">'
 */
export function openLinksInTabs(html: string): string {
  return `<base target="_blank">${html.replace(opening, (tag, name: string) => tag + (isLink(name) ? LINK_ATTRIBUTES : "-off"))}`;
}

/**
 * Elements that are not links get a name no browser knows; an SVG animation, for example, could change a link's target.
 */
const isLink = (name: string): boolean => /^a(?:rea)?$/i.test(name);
