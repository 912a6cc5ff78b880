/** Places of mailboxes in a text as it was typed, for a page that marks them. Not for deciding whether a text leaks. */
import { findMailboxes, type MailboxPattern, mailboxPatterns } from "./mailbox-pattern.ts";

/** From `start` to before `end`, in UTF-16 units. */
interface Span {
  start: number;
  end: number;
}

const SPANS_MAX = 20;
const NON_ASCII = /[^\0-\x7f]/;
/** Longest line in which offsets are mapped character by character. */
const MAPPED_LINE_MAX = 10_000;

/** @returns at most 20, in order; none for an address that shows only after decoding */
export function findSpans(text: string, destinations: readonly string[]): Span[] {
  const patterns = mailboxPatterns(destinations);
  const spans: Span[] = [];
  for (let start = 0; start <= text.length && spans.length < SPANS_MAX; ) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd < 0 ? text.length : lineEnd;
    for (const span of spansInLine(text.slice(start, end), patterns))
      spans.push({ start: start + span.start, end: start + span.end });
    start = end + 1;
  }
  return spans.slice(0, SPANS_MAX);
}

function spansInLine(line: string, patterns: readonly MailboxPattern[]): Span[] {
  if (!NON_ASCII.test(line)) return findMailboxes(line.toLowerCase(), patterns, SPANS_MAX);
  if (line.length > MAPPED_LINE_MAX || findMailboxes(plain(line), patterns, 1).length === 0) return [];
  const { shown, origins } = mapped(line);
  return findMailboxes(shown, patterns, SPANS_MAX).map(({ start, end }) => ({
    start: origins[start] ?? 0,
    end: origins[end] ?? line.length,
  }));
}

const UNSEEN = /\p{Cf}/gu;
const plain = (text: string) => text.normalize("NFKC").replace(UNSEEN, "").toLowerCase();

/** The line in lower case and NFKC; `origins` has the place in the line of each of its units, and of its end. */
function mapped(line: string): { shown: string; origins: number[] } {
  let shown = "";
  const origins: number[] = [];
  let at = 0;
  for (const character of line) {
    const plainCharacter = plain(character);
    for (let unit = 0; unit < plainCharacter.length; unit += 1) origins.push(at);
    shown += plainCharacter;
    at += character.length;
  }
  return { shown, origins };
}
