/** Macro strings of SPF (RFC 7208 §7) that expand to a name to query. Parsing and expansion take linear time. */
import { domainToASCII } from "node:url";

export interface Macro {
  letter: string;
  parts: number;
  isReversed: boolean;
  delimiters: string;
  /** Whether the value is URL-escaped, as for an upper-case letter (§7.3). */
  isEscaped: boolean;
}

export interface MacroString {
  pieces: readonly (string | Macro)[];
  /** Position of the literal text after the last macro or escape. */
  lastLiteral: number;
}

export interface DomainSpec {
  pieces: MacroString["pieces"];
  /** Name to query without macros: `null` when not well-formed; undefined with macros. */
  name: string | null | undefined;
}

/** Macro letters; others may occur in explanations and unknown modifiers only (§7.2). */
const LETTERS = "slodiphv";
const EXPLANATION_LETTERS = "crt";
const DELIMITERS = ".-+,/_=";
export const NAME_MAX = 253;
const LABEL_MAX = 63;

export function parseMacroString(text: string, isExplanation: boolean): MacroString | null {
  const pieces: (string | Macro)[] = [];
  let from = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", from)) {
    if (at > from) pieces.push(text.slice(from, at));
    const next = text[at + 1];
    if (next === "{") {
      const end = text.indexOf("}", at);
      const macro = end < 0 ? null : parseMacro(text.slice(at + 2, end), isExplanation);
      if (macro === null) return null;
      pieces.push(macro);
      from = end + 1;
    } else {
      const escaped = escapes.get(next);
      if (escaped === undefined) return null;
      pieces.push(escaped);
      from = at + 2;
    }
  }
  if (from < text.length) pieces.push(text.slice(from));
  return { pieces, lastLiteral: from };
}

const escapes = new Map<string | undefined, string>([
  ["%", "%"],
  ["_", " "],
  ["-", "%20"],
]);

function parseMacro(body: string, isExplanation: boolean): Macro | null {
  const first = body[0] ?? "";
  const letter = first.toLowerCase();
  if (letter === "" || !(LETTERS.includes(letter) || (isExplanation && EXPLANATION_LETTERS.includes(letter))))
    return null;
  let at = 1;
  while (at < body.length && body.charCodeAt(at) >= 0x30 && body.charCodeAt(at) <= 0x39) at += 1;
  const parts = at === 1 ? 0 : Number(body.slice(1, at));
  if (at > 1 && parts === 0) return null;
  const isReversed = body[at] === "r" || body[at] === "R";
  const delimiters = new Set(body.slice(isReversed ? at + 1 : at));
  for (const character of delimiters) if (!DELIMITERS.includes(character)) return null;
  return { letter, parts, isReversed, delimiters: [...delimiters].join("") || ".", isEscaped: letter !== first };
}

/** Parses a domain spec; `null` unless it ends with a macro, or with a dot and a top label (§7.1). */
export function parseDomainSpec(text: string): DomainSpec | null {
  if (text === "") return null;
  const parsed = parseMacroString(text, false);
  if (parsed === null || !hasDomainEnd(text, parsed.lastLiteral)) return null;
  return { pieces: parsed.pieces, name: parsed.lastLiteral === 0 ? targetName(text) : undefined };
}

/** Whether the text is empty, or a dot, a top label and perhaps another dot. */
function hasDomainEnd(text: string, start: number): boolean {
  if (start === text.length) return true;
  const end = text.endsWith(".") ? text.length - 1 : text.length;
  const dot = end > 0 ? text.lastIndexOf(".", end - 1) : -1;
  return dot >= start && isTopLabel(text, dot + 1, end);
}

export function expand(pieces: DomainSpec["pieces"], valueOf: (letter: string) => string): string {
  let text = "";
  for (const piece of pieces) text += typeof piece === "string" ? piece : transform(piece, valueOf(piece.letter));
  return text;
}

function transform({ parts, isReversed, delimiters, isEscaped }: Macro, value: string): string {
  let text = value;
  if (isReversed || parts > 0 || delimiters !== ".") {
    let split = splitAt(value, delimiters);
    if (isReversed) split.reverse();
    if (parts > 0) split = split.slice(-parts);
    text = split.join(".");
  }
  return isEscaped ? escapeUrl(text) : text;
}

function splitAt(text: string, delimiters: string): string[] {
  if (delimiters.length === 1) return text.split(delimiters);
  const split: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!delimiters.includes(text.charAt(at))) continue;
    split.push(text.slice(from, at));
    from = at + 1;
  }
  split.push(text.slice(from));
  return split;
}

function escapeUrl(text: string): string {
  const hexOf = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, hexOf);
}

/** The expanded name in A-labels, shortened from the left to 253 characters (§7.3); `null` when not well-formed. */
export function targetName(expanded: string): string | null {
  let name = expanded.endsWith(".") ? expanded.slice(0, -1) : expanded;
  if (NON_ASCII.test(name)) name = domainToASCII(name);
  if (name.length > NAME_MAX) {
    const dot = name.indexOf(".", name.length - NAME_MAX - 1);
    if (dot < 0) return null;
    name = name.slice(dot + 1);
  }
  return isWellFormed(name) ? name : null;
}

export const NON_ASCII = /[\u0080-\uffff]/;

/** Whether a name has at least two labels of 1 to 63 printable ASCII characters. */
function isWellFormed(name: string): boolean {
  let from = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
    if (code !== 0x2e) continue;
    if (at === from || at - from > LABEL_MAX) return false;
    from = at + 1;
  }
  return from > 0 && name.length - from <= LABEL_MAX && isTopLabel(name, from, name.length);
}

/** Whether a label has letters, digits and inner hyphens, and not digits only (§7.1). */
function isTopLabel(text: string, from: number, to: number): boolean {
  let isNumber = true;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) continue;
    isNumber = false;
    const letter = code | 0x20;
    const isInnerHyphen = code === 0x2d && at > from && at < to - 1;
    if (!isInnerHyphen && (letter < 0x61 || letter > 0x7a)) return false;
  }
  return !isNumber;
}

/** Whether a domain is a host name (RFC 5321 §4.1.2); another domain of a sender has no SPF record (RFC 7208 §4.3). */
export function isHostName(name: string): boolean {
  if (name.length > NAME_MAX || !isWellFormed(name)) return false;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    const isLetter = code >= 0x61 && code <= 0x7a;
    const isEdge = at === 0 || at === name.length - 1 || name[at - 1] === "." || name[at + 1] === ".";
    if (!isLetter && !(code >= 0x30 && code <= 0x39) && code !== 0x2e && (code !== 0x2d || isEdge)) return false;
  }
  const topLabel = name.charCodeAt(name.lastIndexOf(".") + 1);
  return topLabel >= 0x61 && topLabel <= 0x7a;
}
