/**
 * Limits on the SPF records that mailauth evaluates. Some of its regular expressions take quadratic time in the length
 * of a term, and it expands every macro before it looks at the result, so a record is measured first. A record beyond
 * these limits is a permerror (RFC 7208 §4.6); all limits are far above what RFC 7208 §3.4 (450 octets a record) and
 * DNS names of 253 octets need.
 */
import type { AskDns } from "../../ask-dns.ts";

/** Maximum octets of an SPF record. */
export const SPF_RECORD_MAX = 4096;
/** Maximum octets of one mechanism or modifier as published. */
export const SPF_TERM_MAX = 512;
/** Maximum octets of one mechanism or modifier after macro expansion. */
export const SPF_EXPANDED_MAX = 1024;
/** Maximum mechanisms and modifiers of a record; the library parses the client address again for each. */
export const SPF_TERMS_MAX = 256;
/** Maximum macros in a record. */
export const SPF_MACROS_MAX = 32;

/** The values that SPF macros expand to (RFC 7208 §7.2). */
export interface MacroValues {
  sender: string;
  helo: string;
  /** Host name of the receiving server. */
  mta: string;
}

/** Maximum octets of a domain name. */
const NAME_MAX = 253;
/** Octets of an IPv6 address in an SPF macro: 32 digits with dots between. */
const ADDRESS_MAX = 63;
const SPF_RECORD = /^\s*v=spf1(?:\s|$)/i;
const MACRO = /%\{([^}])[^}]*\}/g;

export function isReadableSpf(record: string, values: MacroValues): boolean {
  if (record.length > SPF_RECORD_MAX) return false;
  const terms = record.trim().split(/\s+/);
  if (terms.length > SPF_TERMS_MAX + 1) return false;
  if (terms.some((term) => term.length > SPF_TERM_MAX)) return false;
  const macros = terms.reduce((sum, term) => sum + term.split("%{").length - 1, 0);
  if (macros > SPF_MACROS_MAX) return false;
  // Two redirects are a permerror (RFC 7208 §6), but the library reports it only after it has expanded both.
  if (terms.filter((term) => /^redirect=/i.test(term)).length > 1) return false;
  return terms.every((term) => expandedLength(term, values) <= SPF_EXPANDED_MAX);
}

/** An upper bound of the length of an SPF term after macro expansion: macro transformers only shorten a value. */
function expandedLength(term: string, values: MacroValues): number {
  let length = term.length;
  for (const [, letter = ""] of term.matchAll(MACRO)) {
    // An upper-case macro letter requests URL escaping (RFC 7208 §7.3): one octet becomes up to three.
    length += valueLength(letter.toLowerCase(), values) * (letter === letter.toLowerCase() ? 1 : 3);
  }
  return length;
}

function valueLength(letter: string, { sender, helo, mta }: MacroValues): number {
  if (letter === "h") return Math.max(Buffer.byteLength(helo), ADDRESS_MAX);
  if ("slo".includes(letter)) return Buffer.byteLength(sender === "" ? `postmaster@${helo}` : sender);
  if (letter === "r") return Math.max(mta.length, NAME_MAX);
  return letter === "i" || letter === "c" ? ADDRESS_MAX : NAME_MAX;
}

/**
 * @param ask DNS look-ups of this message
 * @returns the same look-ups for the SPF evaluation. Of TXT records they return SPF records only, which leaves out
 * explanations (`exp=`), since nobody reads them. A record beyond the limits throws what the library reports as
 * permerror.
 */
export function askForSpf(ask: AskDns, values: MacroValues): AskDns {
  return async (name, type) => {
    const answer = await ask(name, type);
    if (type !== "TXT") return answer;
    // For TXT records `ask` returns lists of strings, as node:dns does, although its declared type is that of
    // addresses.
    const records = (answer as unknown as string[][]).filter((record) => SPF_RECORD.test(record.join("")));
    if (!records.every((record) => isReadableSpf(record.join(""), values))) throw permerror();
    return records as unknown as string[];
  };
}

const permerror = () =>
  Object.assign(new Error("SPF record too complex"), {
    spfResult: { error: "permerror", text: "SPF record too complex" },
  });
