/**
 * Mailboxes in every spelling that leads to the same one: case, `+tag`, both forms of an international domain, at Gmail
 * dots. The searched text must be in lower case and NFKC.
 */

import { FOREIGN_LOCAL_MAX_OCTETS, isGmail, spellingsOfDomain, splitAddress } from "@kauke/mail-rfc";

export interface MailboxPattern {
  destination: string;
  domains: readonly string[];
  local: string;
  stem: string;
  ignoresDots: boolean;
}

/**
 * `whole`, for text of people: `joann@example.org` and `ann@example.org.example` are not `ann@example.org`. `within`,
 * for identifiers and binary data: every occurrence, since a length or the next value may stand beside it.
 */
export type Boundary = "whole" | "within";

export interface FoundMailbox {
  destination: string;
  at: number;
}

// Punctuation belongs to a longer address only if a letter or digit follows.
const LOCAL_BEFORE = /[\p{L}\p{N}][._+-]*$/u;
const LETTER_BEFORE = /[\p{L}\p{N}]$/u;
const DOMAIN_AFTER = /^[.-]*[\p{L}\p{N}]/u;
// Reads a local part backwards from the end, so that the time is linear.
const LOCAL_RUN = /$(?<=([^\s<>()[\]:;,"@\\\p{Cc}]*))/u;
/** Minimum octets of an address (`a@b.cd`): shorter words are too common to be decoded. */
const OCTETS_MIN = 6;
/** Characters before the `@` that are examined: twice the longest local part. */
const BEFORE_MAX = FOREIGN_LOCAL_MAX_OCTETS * 2;

/** Patterns of the destinations that are addresses; others get none. */
export function mailboxPatterns(destinations: readonly string[]): MailboxPattern[] {
  return destinations.flatMap((destination) => {
    const address = destination.trim().normalize("NFKC").toLowerCase();
    const { local, domain } = splitAddress(address);
    return local === "" ? [] : [patternOf(destination, local, domain)];
  });
}

function patternOf(destination: string, local: string, domain: string): MailboxPattern {
  const ignoresDots = isGmail(domain);
  const name = local.replace(/(?<=.)\+.*$/s, "");
  return {
    destination,
    domains: spellingsOfDomain(domain),
    local,
    stem: ignoresDots ? name.replaceAll(".", "") : name,
    ignoresDots,
  };
}

/** Octets of the shortest address, at least 6. */
export function shortestOf(patterns: readonly MailboxPattern[]): number {
  const lengths = patterns.flatMap(({ stem, domains }) =>
    domains.map((domain) => Buffer.byteLength(stem) + 1 + Buffer.byteLength(domain)),
  );
  return Math.max(Math.min(...lengths), OCTETS_MIN);
}

/** @param range place of the domain; a window's edges may cut addresses @returns first match of the first pattern */
export function findMailbox(
  text: string,
  patterns: readonly MailboxPattern[],
  boundary: Boundary,
  range: readonly [from: number, to: number] = [0, text.length],
): FoundMailbox | null {
  for (const pattern of patterns) {
    for (const domain of pattern.domains) {
      const at = findAt(text, { pattern, domain, boundary, range });
      if (at >= 0) return { destination: pattern.destination, at };
    }
  }
  return null;
}

/** Every match in a text of one line, in order: from the local part's start to the domain's end. */
export function findMailboxes(text: string, patterns: readonly MailboxPattern[], most: number) {
  const found = patterns.flatMap((pattern) =>
    pattern.domains.flatMap((domain) => matchesOf(text, pattern, domain, most)),
  );
  const sorted = found.toSorted((a, b) => a.start - b.start);
  return sorted.filter(({ start }, index) => index === 0 || start >= (sorted[index - 1]?.end ?? 0));
}

function matchesOf(text: string, pattern: MailboxPattern, domain: string, most: number) {
  const found: { start: number; end: number }[] = [];
  for (let from = 0; found.length < most; ) {
    const at = findAt(text, { pattern, domain, boundary: "whole", range: [from, text.length] });
    if (at < 0) break;
    const end = at + 1 + domain.length;
    const before = text.slice(Math.max(from, at - BEFORE_MAX), at);
    found.push({ start: at - (LOCAL_RUN.exec(before)?.[1] ?? "").length, end });
    from = end;
  }
  return found;
}

interface Wanted {
  pattern: MailboxPattern;
  domain: string;
  boundary: Boundary;
  range: readonly [from: number, to: number];
}

function findAt(text: string, { pattern, domain, boundary, range: [from, to] }: Wanted): number {
  for (let at = text.indexOf(domain, from); at >= 0 && at < to; at = text.indexOf(domain, at + 1)) {
    const separator = text[at - 1];
    // Bounce addresses of lists (VERP) write `ann=example.org`.
    if (separator !== "@" && separator !== "=") continue;
    const end = at + domain.length;
    if (boundary === "whole" && DOMAIN_AFTER.test(text.slice(end, end + FOREIGN_LOCAL_MAX_OCTETS))) continue;
    const before = text.slice(Math.max(0, at - 1 - BEFORE_MAX), at - 1);
    if (endsWithLocal(before, pattern, separator === "=" ? "token" : boundary)) return at - 1;
  }
  return -1;
}

function endsWithLocal(text: string, pattern: MailboxPattern, boundary: Boundary | "token"): boolean {
  const before = text.endsWith('"') && !pattern.local.endsWith('"') ? text.slice(0, -1) : text;
  if (endsAlone(before, pattern.local, boundary)) return true;
  if (!before.includes(pattern.stem) && !pattern.ignoresDots) return false;
  const run = LOCAL_RUN.exec(before)?.[1] ?? "";
  const heads = run.split("+").map((_, index, all) => all.slice(0, index + 1).join("+"));
  return heads.some((head) => {
    const name = pattern.ignoresDots ? head.replaceAll(".", "") : head;
    return endsAlone(name, pattern.stem, boundary);
  });
}

function endsAlone(text: string, ending: string, boundary: Boundary | "token"): boolean {
  if (!text.endsWith(ending)) return false;
  const before = text.slice(0, -ending.length);
  if (boundary === "whole") return !LOCAL_BEFORE.test(before);
  return boundary === "within" || !LETTER_BEFORE.test(before);
}
