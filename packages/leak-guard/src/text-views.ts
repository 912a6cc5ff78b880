/**
 * Yields every reading of a text: as it is, and with entities, percent signs, markup, folds, encoded words, escapes,
 * quoted-printable and invisible characters decoded. Lower case and NFKC, made one after another, so that plain text
 * costs one search.
 */

import { decodeEncodedWords, decodeQuotedPrintable } from "@kauke/mail-rfc";

export interface TextView {
  text: string;
  keepsLines: boolean;
}

const UNSEEN = /[\p{Cf}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{2800}]/gu;
const NON_ASCII = /[^\0-\x7f]/;
/** Characters that browsers remove from links (WHATWG URL), and programs from links in angle brackets. */
const BREAKS_IN_LINKS = /[\r\n\t]+/g;
const FOLD = /\r?\n[ \t]/g;
/** HTML entities in lower case, as the text is when they are looked up. */
const NAMED = new Map([
  ["commat", "@"],
  ["period", "."],
  ["lowbar", "_"],
  ["plus", "+"],
  ["equals", "="],
  ["hyphen", "-"],
  ["dash", "-"],
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["num", "#"],
  ["percnt", "%"],
  ["colon", ":"],
  ["shy", ""],
  ["zwnj", ""],
  ["zwj", ""],
  ["zerowidthspace", ""],
]);

/** A text has at most 27 views, made in linear time. */
export function* textViews(text: string): Generator<TextView> {
  if (text === "") return;
  yield* allForms(text);
  if (text.includes("=?")) yield* withoutLineNumbers(decodeEncodedWords(text.replace(FOLD, "")));
  if (/\n[ \t]/.test(text)) yield* withoutLineNumbers(text.replace(FOLD, ""));
  if (/;\s*[\w-]+\*\d/.test(text)) yield* withoutLineNumbers(joinContinuations(text));
  if (/=(?:[0-9a-f]{2}|[ \t]*\r?\n)/i.test(text)) yield* withoutLineNumbers(readQuotedPrintable(text));
  if (/\\[ux][0-9a-f]/i.test(text)) yield* withoutLineNumbers(withoutEscapes(text));
  if (/ \r?\n/.test(text)) yield* withoutLineNumbers(joinFlowed(text));
  if (!text.includes("<")) return;
  yield* withoutLineNumbers(withoutMarkup(text));
  if (/[\r\n\t]/.test(text)) yield* withoutLineNumbers(text.replace(BREAKS_IN_LINKS, ""));
}

function* allForms(text: string): Generator<TextView> {
  const shown = plain(text);
  yield { text: shown, keepsLines: true };
  for (const decoded of decodedForms(shown)) yield { text: decoded, keepsLines: false };
}

function* withoutLineNumbers(text: string): Generator<TextView> {
  for (const view of allForms(text)) yield { ...view, keepsLines: false };
}

function plain(text: string): string {
  return (NON_ASCII.test(text) ? text.normalize("NFKC").replace(UNSEEN, "") : text).toLowerCase();
}

/** Decodes entities before percent signs, which HTML may write as entities; twice, since programs quote quoted text. */
function* decodedForms(text: string): Generator<string> {
  let current = text;
  for (let round = 0; round < 2; round += 1) {
    const next = withoutPercent(withoutEntities(current));
    if (next === current) return;
    current = plain(next);
    yield current;
  }
}

/** Joins flowed lines (RFC 3676 §4.2, `DelSp=yes`), in quoted text too. */
function joinFlowed(text: string): string {
  return text.replace(/ \r?\n>{0,100} ?/g, "");
}

/** Removes markup, so that an address interrupted by a tag is read as one. */
function withoutMarkup(html: string): string {
  return html.replace(/<!--.*?(?:-->|$)/gs, "").replace(/<[^<>]*>/g, "");
}

function withoutEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,15}));?/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** Decodes percent signs in runs of limited length: V8 overflows its stack on a match of megabytes. */
function withoutPercent(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/(?:%[0-9a-f]{2}){1,60000}/gi, (all) =>
    Buffer.from(all.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, four: string | undefined, two: string) =>
    String.fromCharCode(Number.parseInt(four ?? two, 16)),
  );
}

/** Joins parameters that RFC 2231 §3 continues: `filename*0*=utf-8''olga%40ow; filename*1*=ner.example`. */
function joinContinuations(header: string): string {
  return header.replace(/"?;\s*[\w-]{1,60}\*[1-9][0-9]{0,3}\*?\s*=\s*"?/g, "");
}

function readQuotedPrintable(text: string): string {
  const bytes = NON_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text;
  return Buffer.from(decodeQuotedPrintable(bytes), "latin1").toString("utf8");
}
