/**
 * Local parts of other people's addresses: dot-strings and quoted strings (RFC 5321 §4.1.2, RFC 6531 §3.3). Only the
 * host in the domain interprets a local part (§2.3.11), so dots may stand anywhere (`taro..yamada`, `hanako.`: Japanese
 * phones), and it may be longer than 64 octets, as those of mailing services are. The canonical spelling is the one
 * without quotes if that is a dot-string, otherwise a quoted string with as few backslashes as possible.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

const NON_ASCII = "\\u{a0}-\\u{fffc}\\u{10000}-\\u{10ffff}";
const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${NON_ASCII}-]+`;
/** Matches a dot-string, and atoms with dots anywhere, which hosts use without quotes. */
const BARE = new RegExp(`^[A-Za-z0-9!#$%&'*+/=?^_\`{|}~.${NON_ASCII}-]+$`, "u");
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, "u");
const QUOTED = new RegExp(`^"(?:[ !#-\\[\\]-~${NON_ASCII}]|\\\\[ -~])*"$`, "u");
const QUOTABLE = new RegExp(`^[ -~${NON_ASCII}]*$`, "u");

/** Maximum octets of a local part of ours (RFC 5321 §4.5.3.1.1). */
export const LOCAL_MAX_OCTETS = 64;
/** Maximum octets of a local part of anybody else; real ones have up to some 120. */
export const FOREIGN_LOCAL_MAX_OCTETS = 256;

/**
 * Parses a local part as written.
 * @returns its canonical spelling, e.g. `"ann.lee"` → `ann.lee`, `"ann\ lee"` → `"ann lee"`
 * @throws MailSyntaxError `local_syntax`, `local_too_long`
 */
export function canonicalLocal(text: string): string {
  if (Buffer.byteLength(text) > FOREIGN_LOCAL_MAX_OCTETS) throw new MailSyntaxError("local_too_long");
  if (hasLoneSurrogate(text)) throw new MailSyntaxError("local_syntax");
  if (BARE.test(text)) return text;
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

/**
 * Spells a local part as its host does, without quotes wherever that is possible; `unquoteLocal` reverses it.
 * @throws MailSyntaxError `local_syntax` as `quoteLocal` does
 */
export function spellLocal(meaning: string): string {
  return BARE.test(meaning) ? meaning : quoteLocal(meaning);
}

function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}
