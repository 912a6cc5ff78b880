/** Searches text of any length for mailboxes, window by window, so that memory use does not grow with the text. */
import { type Boundary, findMailbox, type MailboxPattern } from "./mailbox-pattern.ts";
import { textViews } from "./text-views.ts";

export interface TextLeak {
  destination: string;
  /** Line number, from 1; `null` when the address appears only after folds, markup or another encoding were decoded. */
  line: number | null;
}

/** Characters per window; far below the length at which V8 overflows its stack on a repeated character class. */
const WINDOW = 1_048_576;
/**
 * Characters shared by two adjacent windows; longer than an address with markup, entities and invisible characters in
 * it.
 */
const OVERLAP = 16_384;
/** Characters at a cut edge of a window, longer than any address, in which a domain or local part may be incomplete. */
const EDGE = 400;

export function findInText(text: string, patterns: readonly MailboxPattern[], boundary: Boundary): TextLeak | null {
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += WINDOW) {
    const end = start + WINDOW + OVERLAP;
    const window = { text: text.slice(start, end), isFirst: start === 0, isLast: end >= text.length };
    const leak = findInWindow(window, patterns, boundary);
    if (leak === null) continue;
    const { destination, line } = leak;
    return { destination, line: line === null ? null : line + countBreaks(text.slice(0, start)) };
  }
  return null;
}

interface Window {
  text: string;
  isFirst: boolean;
  isLast: boolean;
}

/** Searches one window. Ignores hits close to an edge that cuts the text: the adjacent window contains them whole. */
function findInWindow(
  { text, isFirst, isLast }: Window,
  patterns: readonly MailboxPattern[],
  boundary: Boundary,
): TextLeak | null {
  for (const view of textViews(text)) {
    const range = [isFirst ? 0 : EDGE, isLast ? view.text.length : view.text.length - EDGE] as const;
    const found = findMailbox(view.text, patterns, boundary, range);
    if (found === null) continue;
    const line = view.keepsLines ? countBreaks(view.text.slice(0, found.at)) + 1 : null;
    return { destination: found.destination, line };
  }
  return null;
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}
