/**
 * Finds the owner in `<meta>` elements of an answer to an invitation: Google describes the answer in one, for programs
 * that show it without opening the message (schema.org).
 */
import { OWN, type OwnAddresses } from "@kauke/mail-rfc";
import { isAnswerSentence } from "./calendar-answer.ts";
import type { OwnLines } from "./find-own-lines.ts";

const META = /<meta\s[^<>]{0,300}?\bcontent="([^"<>]{1,600})"[^<>]{0,100}>/giu;

/** Adds to the lines found the attributes that consist of the owner's address, or of a program's sentence with it. */
export function withAnswerMetas(html: string, { spans, lineNumbers }: OwnLines, own: OwnAddresses): OwnLines {
  const all = [...spans];
  for (const match of html.matchAll(META)) {
    const [element, content = ""] = match;
    const marked = own.marked(content, OWN);
    if (!marked.includes(OWN) || (marked !== OWN && !isAnswerSentence(marked))) continue;
    const start = match.index + element.indexOf(content, element.indexOf("content="));
    all.push(...own.find(html, start, start + content.length));
  }
  if (all.length === spans.length) return { spans, lineNumbers };
  const unique = [...new Map(all.map((span) => [span.start, span])).values()];
  return {
    spans: unique.sort((one, other) => one.start - other.start),
    lineNumbers: lineNumbers.length > 0 ? lineNumbers : [1],
  };
}
