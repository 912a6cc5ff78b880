/**
 * Local parts: dot-strings and quoted strings (RFC 5321 §4.1.2, RFC 6531 §3.3). The canonical spelling is a dot-string
 * if possible, otherwise a quoted string with as few backslashes as possible.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

const NON_ASCII = "\\u{a0}-\\u{fffc}\\u{10000}-\\u{10ffff}";
const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${NON_ASCII}-]+`;
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, "u");
const QUOTED = new RegExp(`^"(?:[ !#-\\[\\]-~${NON_ASCII}]|\\\\[ -~])*"$`, "u");
const QUOTABLE = new RegExp(`^[ -~${NON_ASCII}]*$`, "u");

/** Maximum octets of a local part (RFC 5321 §4.5.3.1.1). */
export const LOCAL_MAX_OCTETS = 64;

/**
 * Parses a local part as written.
 * @returns its canonical spelling, e.g. `"ann.lee"` → `ann.lee`, `"ann\ lee"` → `"ann lee"`
 * @throws MailSyntaxError `local_syntax`, `local_too_long`
 */
export function canonicalLocal(text: string): string {
  if (Buffer.byteLength(text) > LOCAL_MAX_OCTETS) throw new MailSyntaxError("local_too_long");
  if (hasLoneSurrogate(text)) throw new MailSyntaxError("local_syntax");
  if (DOT_STRING.test(text)) return text;
  if (QUOTED.test(text)) return quoteLocal(unquoteLocal(text));
  throw new MailSyntaxError("local_syntax");
}

/** Whether a text is a local part of any length, as written. */
export function isLocalPart(text: string): boolean {
  return DOT_STRING.test(text) || QUOTED.test(text);
}

/** @returns the local part without quotes and backslashes @param local in either spelling */
export function unquoteLocal(local: string): string {
  return local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/gsu, "$1") : local;
}

/**
 * Quotes a local part if necessary; `unquoteLocal` reverses it.
 * @throws MailSyntaxError `local_syntax` for control characters and other text that no quoted string may contain
 */
export function quoteLocal(meaning: string): string {
  if (DOT_STRING.test(meaning)) return meaning;
  if (!QUOTABLE.test(meaning)) throw new MailSyntaxError("local_syntax");
  return `"${meaning.replace(/["\\]/g, "\\$&")}"`;
}

function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}
