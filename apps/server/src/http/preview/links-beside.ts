/**
 * A message's HTML with links that open a tab of their own: the frame it is shown in never goes anywhere. Only the start tags of
 * links are written anew; the frame's sandbox and policy hold for everything else. One pass. Pure.
 */

const opening = /<(a|area|base)(?=[\s/>])/gi;
const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)?))?/y;
/** Where a link leads decide these and nothing the message says. */
const ours = new Set(["target", "rel", "ping"]);
const BESIDE = ' target="_blank" rel="noopener noreferrer"';

/** @example linksBeside('<a href="/x" target="_self">') // '<base target="_blank"><a href="/x" target="_blank" rel="noopener noreferrer">' */
export function linksBeside(html: string): string {
  const out = ['<base target="_blank">'];
  let at = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    const [tag, name = ""] = found;
    out.push(html.slice(at, found.index));
    const { kept, end } = readAttributes(html, found.index + tag.length);
    // Without an end it is no tag to a browser either, and nothing follows it.
    if (end === -1) return out.join("");
    if (name.toLowerCase() !== "base") out.push(`<${name}${kept}${BESIDE}>`);
    at = end;
    opening.lastIndex = end;
  }
  out.push(html.slice(at));
  return out.join("");
}

/** @returns the attributes that stay, as they were written, and where the tag ends; -1: it has no end */
function readAttributes(html: string, from: number): { kept: string; end: number } {
  const kept: string[] = [];
  let at = from;
  for (;;) {
    attribute.lastIndex = at;
    const found = attribute.exec(html);
    if (found === null) break;
    const [text, name = ""] = found;
    if (!ours.has(name.toLowerCase())) kept.push(` ${text.replace(/^[\s/]+/, "")}`);
    at = attribute.lastIndex;
    const open = html[at];
    // An attribute value without its closing quote extends to the end of the text.
    if ((open === '"' || open === "'") && html.indexOf(open, at + 1) === -1) return { kept: "", end: -1 };
  }
  const end = html.indexOf(">", at);
  return { kept: kept.join(""), end: end === -1 ? -1 : end + 1 };
}
