/** A text cut where its web addresses begin and end. Pure. */
export interface TextPart {
  text: string;
  /** Where it leads; `null` for what is no address. */
  href: string | null;
}

/** More than this many in one message become text: each is an element of the page. */
const LINKS_MAX = 2000;
/** Characters of an address, and of punctuation behind it; what is longer stays text. */
const ADDRESS_MAX = 2000;
const PUNCTUATION_MAX = 10;
/** Marks of writing direction end an address: they could make it look like another one. */
const address = /\bhttps?:\/\/[^\s<>"\u0000-\u001f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,2000}/gi;
/** What ends a sentence, and not an address. */
const atTheEnd = /[.,;:!?'’”»\])}]$/;

/** @example linkParts("See https://kauke.test/a.") // "See ", "https://kauke.test/a" with its href, "." */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    if (parts.length >= 2 * LINKS_MAX) break;
    const shown = withoutEnd(found);
    const href = shown.length < ADDRESS_MAX && URL.canParse(shown) ? new URL(shown).href : null;
    if (href === null) continue;
    if (index > at) parts.push({ text: text.slice(at, index), href: null });
    parts.push({ text: shown, href });
    at = index + shown.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), href: null });
  return parts;
}

/** A closing bracket stays when the address has opened it. */
function withoutEnd(found: string): string {
  let end = found.length;
  while (end > found.length - PUNCTUATION_MAX && atTheEnd.test(found[end - 1] ?? "") && !closesOwn(found, end)) end--;
  return found.slice(0, end);
}

function closesOwn(found: string, end: number): boolean {
  return found[end - 1] === ")" && found.lastIndexOf("(", end - 2) > found.lastIndexOf(")", end - 2);
}
