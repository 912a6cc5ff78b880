/**
 * Recognizes "On Mon, 23 Nov 2026 at 10:00, Anna <anna@example.org> wrote:". Strict on purpose, since the line is
 * changed: one address, a verb of quoting beside it, a colon, and a date or a quote below.
 */
import { OWN } from "@kauke/mail-rfc";
import { quoteVerbs, unspacedQuoteVerbs } from "./quote-words.ts";

export interface Attribution {
  /** Lines joined by line feeds, with the owner's addresses replaced by `OWN`. */
  text: string;
  /** Whether the following line is quoted one level deeper. */
  isAboveQuote: boolean;
}

/** Maximum characters of an attribution: a name and an address of one line each. */
const LENGTH_MAX = 600;
const VERB = `(?:(?<!\\p{L})(?:${quoteVerbs.join("|").replaceAll(" ", "\\s")})(?!\\p{L})|${unspacedQuoteVerbs.join("|")})`;
/** The end of an attribution; Zoho ends it with dashes. */
const COLON = "[ \\t\\u00a0\\u202f]*(?:[:：]|-{3,5})$";
/** The address twice: `"anna@example.org" <anna@example.org>`, `anna@example.org [mailto:anna@example.org]`. */
const TWICE = new RegExp(`["'<(\\[]*${OWN}["'>)\\]]*(?:\\s?[<(\\[]+(?:mailto:)?${OWN}[>)\\]]+){1,4}`, "g");
const DATE = /\d{4}|\d{1,2}[:.h]\d{2}|\d{1,2}[./]\d{1,2}/;
const CLOSING = "[>)\\]\"'’]*";
/** Verb after the address, or a date and the verb. */
const VERB_BEHIND = new RegExp(
  `^${CLOSING}(?:[\\s,;]*|[ ,]*[于於(\\d][^@${OWN}]{0,80}?\\s?)${VERB}(?:\\s?\\([^()@]{0,80}\\))?[^@.!?\\n${OWN}]{0,40}${COLON}`,
  "iu",
);
/** Verb before the address, with a name if the address is in brackets. */
const VERB_IN_FRONT = new RegExp(`${VERB}\\s+(?:[^@:${OWN}]{0,120}[<(\\[](?:mailto:)?|["'<(\\[]?)$`, "iu");
const ONLY_COLON = new RegExp(`^${CLOSING}${COLON}`, "u");
/** Gmail's attributions in Russian and Japanese: date, time, name and address, without a verb. */
const DATE_AND_NAME = /\d{1,2}:\d{2}(?!\d)[^@:.!?]{0,120}[<(]$/;

/** Whether a text is an attribution. Linear: longer texts are rejected before a regular expression is applied. */
export function isAttribution({ text, isAboveQuote }: Attribution): boolean {
  if (text.length > LENGTH_MAX || !/[:：]$|-{3}$/.test(text)) return false;
  const joined = text.normalize("NFC").replace(TWICE, `<${OWN}>`);
  const [before = "", after = "", more] = joined.split(OWN);
  if (more !== undefined || !joined.includes(OWN)) return false;
  if (!isAboveQuote && !DATE.test(before) && !DATE.test(after)) return false;
  if (VERB_BEHIND.test(after)) return true;
  if (!ONLY_COLON.test(after)) return false;
  return VERB_IN_FRONT.test(before) || (isAboveQuote && DATE_AND_NAME.test(before));
}
