/** Parses SPF records (RFC 7208 §4.6, §12) in linear time. Beyond the limits a record is a permerror. */
import { type DomainSpec, type Macro, NAME_MAX, parseDomainSpec, parseMacroString } from "./domain-spec.ts";
import { type IpAddress, parseIpAddress } from "./ip-address.ts";

export const SPF_RECORD_MAX = 4096;
export const SPF_TERM_MAX = 512;
export const SPF_EXPANDED_MAX = 1024;
export const SPF_TERMS_MAX = 256;
export const SPF_MACROS_MAX = 32;

/** Result of a mechanism by its qualifier (§4.6.2). */
export type SpfOutcome = "pass" | "fail" | "softfail" | "neutral";

export type SpfMechanism = { outcome: SpfOutcome } & (
  | { kind: "all" }
  | { kind: "ip"; network: IpAddress; prefix: number }
  /** Mechanism `a` or `mx`; a `target` of `null` is the publishing domain. */
  | { kind: "a" | "mx"; target: DomainSpec | null; prefix4: number; prefix6: number }
  | { kind: "ptr"; target: DomainSpec | null }
  | { kind: "include" | "exists"; target: DomainSpec }
);

export interface SpfRecord {
  mechanisms: readonly SpfMechanism[];
  /** Target of `redirect`; `null` without it, and beside `all`, where it has no effect (§6.1). */
  redirect: DomainSpec | null;
  expansions: readonly Expansion[];
}

/** Upper bound of a term's length: `octets`, plus `helos` times the HELO name's, plus `senders` times the sender's. */
interface Expansion {
  octets: number;
  helos: number;
  senders: number;
}

/** Octets of an IPv6 address in a macro: 32 digits with dots between. */
const ADDRESS_OCTETS = 63;
const NOT_PRINTABLE = /[^ -~]/;
const VERSION = "v=spf1";

/** Whether a record begins with the version of SPF, followed by a space or nothing (§4.5). */
export function isSpfRecord(text: string): boolean {
  if (text.length < VERSION.length || (text.length > VERSION.length && text[VERSION.length] !== " ")) return false;
  return text.slice(0, VERSION.length).toLowerCase() === VERSION;
}

/** Parses a record; `null` for a syntax error anywhere or beyond a limit (§4.6). */
export function parseSpfRecord(text: string): SpfRecord | null {
  if (text.length > SPF_RECORD_MAX || NOT_PRINTABLE.test(text)) return null;
  const draft = new Draft();
  let count = 0;
  for (let from = VERSION.length; from < text.length; ) {
    const space = text.indexOf(" ", from);
    const end = space < 0 ? text.length : space;
    if (end > from) {
      count += 1;
      if (count > SPF_TERMS_MAX || end - from > SPF_TERM_MAX || !draft.add(text.slice(from, end))) return null;
    }
    from = end + 1;
  }
  return draft.record;
}

/** Whether each term is short enough after macro expansion (§7.3). */
export function isWithinExpansion({ expansions }: SpfRecord, values: { sender: string; helo: string }): boolean {
  if (expansions.length === 0) return true;
  const [sender, helo] = [Buffer.byteLength(values.sender), Math.max(Buffer.byteLength(values.helo), ADDRESS_OCTETS)];
  return expansions.every(({ octets, helos, senders }) => octets + helos * helo + senders * sender <= SPF_EXPANDED_MAX);
}

const outcomes = new Map<number, SpfOutcome>([
  [0x2b, "pass"],
  [0x2d, "fail"],
  [0x7e, "softfail"],
  [0x3f, "neutral"],
]);

class Draft {
  readonly #mechanisms: SpfMechanism[] = [];
  readonly #expansions: Expansion[] = [];
  readonly #once = new Set<string>();
  #redirect: DomainSpec | null = null;
  #hasAll = false;
  #macros = 0;

  get record(): SpfRecord {
    const redirect = this.#hasAll ? null : this.#redirect;
    return { mechanisms: this.#mechanisms, redirect, expansions: this.#expansions };
  }

  add(term: string): boolean {
    const mark = markOf(term);
    if (term[mark] === "=") return this.#addModifier(term, mark);
    const outcome = outcomes.get(term.charCodeAt(0));
    const start = outcome === undefined ? 0 : 1;
    const name = term.slice(start, mark).toLowerCase();
    const mechanism = parseMechanism(name, term.slice(mark), outcome ?? "pass");
    if (mechanism === null) return false;
    this.#mechanisms.push(mechanism);
    if (mechanism.kind === "all") this.#hasAll = true;
    return !("target" in mechanism) || this.#bound(term, mechanism.target?.pieces ?? []);
  }

  #addModifier(term: string, equals: number): boolean {
    const name = term.slice(0, equals).toLowerCase();
    const value = term.slice(equals + 1);
    if (!MODIFIER_NAME.test(name)) return false;
    if (name !== "redirect" && name !== "exp") {
      const parsed = parseMacroString(value, true);
      return parsed !== null && this.#bound(term, parsed.pieces);
    }
    const spec = parseDomainSpec(value);
    if (spec === null || this.#once.has(name)) return false;
    this.#once.add(name);
    if (name === "redirect") this.#redirect = spec;
    return this.#bound(term, spec.pieces);
  }

  #bound(term: string, pieces: DomainSpec["pieces"]): boolean {
    let expansion: Expansion | null = null;
    for (const piece of pieces) {
      if (typeof piece === "string") continue;
      this.#macros += 1;
      expansion ??= { octets: term.length, helos: 0, senders: 0 };
      addLength(expansion, piece);
    }
    if (expansion !== null) this.#expansions.push(expansion);
    return this.#macros <= SPF_MACROS_MAX;
  }
}

/** Offset at which a term's name ends: at a colon, slash or equals sign, or at its end. */
function markOf(term: string): number {
  let at = 0;
  for (; at < term.length; at += 1) {
    const code = term.charCodeAt(at);
    if (code === 0x3a || code === 0x2f || code === 0x3d) break;
  }
  return at;
}

const MODIFIER_NAME = /^[a-z][a-z0-9._-]*$/;

function addLength(expansion: Expansion, { letter, isEscaped }: Macro): void {
  // URL escaping makes three octets of one (§7.3).
  const times = isEscaped ? 3 : 1;
  if (letter === "h") expansion.helos += times;
  else if ("slo".includes(letter)) expansion.senders += times;
  else expansion.octets += times * (letter === "i" || letter === "c" ? ADDRESS_OCTETS : NAME_MAX);
}

/** @param rest what follows the mechanism's name: empty, or from a colon or slash on */
function parseMechanism(name: string, rest: string, outcome: SpfOutcome): SpfMechanism | null {
  switch (name) {
    case "ip4":
    case "ip6":
      return parseNetwork(name === "ip4" ? 4 : 6, rest, outcome);
    case "include":
    case "exists": {
      const target = rest[0] === ":" ? parseDomainSpec(rest.slice(1)) : null;
      return target === null ? null : { kind: name, target, outcome };
    }
    case "a":
    case "mx":
      return parseHosts(name, rest, outcome);
    case "all":
      return rest === "" ? { kind: name, outcome } : null;
    case "ptr": {
      const target = rest[0] === ":" ? parseDomainSpec(rest.slice(1)) : null;
      return target === null && rest !== "" ? null : { kind: name, target, outcome };
    }
    default:
      return null;
  }
}

/** Parses `ip4:192.0.2.0/24` or `ip6:2001:db8::/32` (§5.6). */
function parseNetwork(family: 4 | 6, rest: string, outcome: SpfOutcome): SpfMechanism | null {
  if (rest[0] !== ":") return null;
  const slash = rest.indexOf("/");
  const network = parseIpAddress(rest.slice(1, slash < 0 ? rest.length : slash));
  const max = family === 4 ? 32 : 128;
  const prefix = slash < 0 ? max : parsePrefix(rest.slice(slash + 1), max);
  return network?.family === family && prefix !== null ? { kind: "ip", network, prefix, outcome } : null;
}

/** Parses what follows `a` or `mx` (§5.3, §5.4). */
function parseHosts(kind: "a" | "mx", rest: string, outcome: SpfOutcome): SpfMechanism | null {
  let end = rest.length;
  let [prefix4, prefix6]: [number | null, number | null] = [32, 128];
  let slash = slashBeforeDigits(rest, end);
  if (slash > 0 && rest[slash - 1] === "/") {
    prefix6 = parsePrefix(rest.slice(slash + 1, end), 128);
    end = slash - 1;
    slash = slashBeforeDigits(rest, end);
  }
  if (slash >= 0) {
    prefix4 = parsePrefix(rest.slice(slash + 1, end), 32);
    end = slash;
  }
  const target = end > 0 && rest[0] === ":" ? parseDomainSpec(rest.slice(1, end)) : null;
  if (prefix4 === null || prefix6 === null || (end > 0 && target === null)) return null;
  return { kind, target, prefix4, prefix6, outcome };
}

function slashBeforeDigits(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at -= 1;
  return at < end - 1 && at >= 0 && text[at] === "/" ? at : -1;
}

/** Parses a prefix length; `null` with leading zeros, or above `max`. */
function parsePrefix(digits: string, max: number): number | null {
  if (digits.length === 0 || digits.length > 3 || (digits.length > 1 && digits[0] === "0")) return null;
  let prefix = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return null;
    prefix = prefix * 10 + digit;
  }
  return prefix <= max ? prefix : null;
}
