/** Text by a stranger, with its web addresses as links that open new tabs without opener or referrer. */
export function LinkedText({ text }: { text: string }) {
  return linkParts(text).map(({ text: words, href }, index) =>
    href === null ? (
      words
    ) : (
      // The React key is the index, since the text never changes
      <a key={index} className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
        {/* Isolated, so that bidirectional characters around the address can't reorder it. */}
        <bdi>{words}</bdi>
      </a>
    ),
  );
}

/** Splits a text into web addresses and the text between them. Pure. */
interface TextPart {
  text: string;
  /** Web address that the text links to; `null` for plain text. */
  href: string | null;
}

/** Maximum links per message, because each is an element on the page; further addresses stay plain text. */
const LINKS_MAX = 2000;
/** Maximum characters of an address, and of the punctuation after it; longer ones stay plain text. */
const ADDRESS_MAX = 2000;
const PUNCTUATION_MAX = 10;
/** Bidirectional marks end an address, because they could make it look like another one. */
const address = /\bhttps?:\/\/[^\s<>"\u0000-\u001f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,2000}/gi;
/** Punctuation that ends a sentence rather than an address. */
const atTheEnd = /[.,;:!?'’”»\])}]$/;

/**
 * Splits a text.
 * @example linkParts("See https://kauke.test/a.") // "See ", "https://kauke.test/a" with its href, "."
 */
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

/** The address without punctuation at its end; a closing bracket stays if the address contains the opening one. */
function withoutEnd(found: string): string {
  let end = found.length;
  while (end > found.length - PUNCTUATION_MAX && atTheEnd.test(found[end - 1] ?? "") && !closesOwn(found, end)) end--;
  return found.slice(0, end);
}

function closesOwn(found: string, end: number): boolean {
  return found[end - 1] === ")" && found.lastIndexOf("(", end - 2) > found.lastIndexOf(")", end - 2);
}
