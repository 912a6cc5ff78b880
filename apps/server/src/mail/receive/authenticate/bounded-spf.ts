/**
 * The SPF records that mailauth is shown. Some of its expressions take squared time for a term, and it expands every macro before
 * it looks at the result, so a record is measured before the library reads it. A record beyond these bounds is a permerror
 * (RFC 7208 §4.6); all of them are far above what RFC 7208 §3.4 (450 octets a record) and names of 253 octets allow.
 */
import type { AskDns } from "../../ask-dns.ts";

/** Octets of a record. */
export const SPF_RECORD_MAX = 4096;
/** Octets of one mechanism or modifier as published. */
export const SPF_TERM_MAX = 512;
/** Octets of one mechanism or modifier with its macros expanded. */
export const SPF_EXPANDED_MAX = 1024;
/** Mechanisms and modifiers of a record; the library parses an address anew for each. */
export const SPF_TERMS_MAX = 256;
/** Macros of a record. */
export const SPF_MACROS_MAX = 32;

/** The values that macros stand for (RFC 7208 §7.2). */
export interface MacroValues {
  sender: string;
  helo: string;
  /** The name of the receiving host. */
  mta: string;
}

/** Octets that a domain name, or an IPv6 address with a dot after every digit, can have. */
const NAME_MAX = 253;
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
  // Two redirects are a permerror (RFC 7208 §6), which the library tells only after it has expanded all of them.
  if (terms.filter((term) => /^redirect=/i.test(term)).length > 1) return false;
  return terms.every((term) => expandedLength(term, values) <= SPF_EXPANDED_MAX);
}

/** At least as long as the expansion: transformers only shorten a value. */
function expandedLength(term: string, values: MacroValues): number {
  let length = term.length;
  for (const [, letter = ""] of term.matchAll(MACRO)) {
    // A capital letter asks for URL escapes (RFC 7208 §7.3): three octets for one.
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
 * @param ask the message's DNS
 * @returns the same for the SPF evaluation: of TXT records only those of SPF, which leaves out explanations (`exp=`), since nobody
 *   reads them. Throws what the library reports as permerror for a record that is not readable.
 */
export function askForSpf(ask: AskDns, values: MacroValues): AskDns {
  return async (name, type) => {
    const answer = await ask(name, type);
    if (type !== "TXT") return answer;
    // The declared type is that of node:dns for addresses; a TXT record is a list of strings.
    const records = (answer as unknown as string[][]).filter((record) => SPF_RECORD.test(record.join("")));
    if (!records.every((record) => isReadableSpf(record.join(""), values))) throw permerror();
    return records as unknown as string[];
  };
}

const permerror = () =>
  Object.assign(new Error("SPF record too complex"), {
    spfResult: { error: "permerror", text: "SPF record too complex" },
  });
