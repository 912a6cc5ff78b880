/** Shows a stranger's text; links open new tabs without opener or referrer. */
export function LinkedText({ text }: { text: string }) {
  return linkParts(text).map(({ text: words, href }, index) =>
    href === null ? (
      words
    ) : (
      // Keyed by index: the text never changes.
      <a key={index} className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {/* The link's text is isolated, so that bidirectional characters can't reorder the address. */}
        <bdi>{words}</bdi>
      </a>
    ),
  );
}

interface TextPart {
  text: string;
  /** Address of the link; `null` for plain text. */
  href: string | null;
}

/** Maximum links: each is an element on the page; further addresses stay text. */
const LINKS_MAX = 2000;
/** Maximum characters of a linked address; longer ones stay text. */
const ADDRESS_MAX = 2000;
const PUNCTUATION_MAX = 10;
/** A linked address ends at a bidirectional mark, which could disguise it. */
const address = /\bhttps?:\/\/[^\s<>"\u0000-\u001f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,2000}/gi;
/** Punctuation that ends a sentence rather than an address. */
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

/** A closing bracket stays if the address has the opening one. */
function withoutEnd(found: string): string {
  let end = found.length;
  while (end > found.length - PUNCTUATION_MAX && atTheEnd.test(found[end - 1] ?? "") && !closesOwn(found, end)) end--;
  return found.slice(0, end);
}

function closesOwn(found: string, end: number): boolean {
  return found[end - 1] === ")" && found.lastIndexOf("(", end - 2) > found.lastIndexOf(")", end - 2);
}
