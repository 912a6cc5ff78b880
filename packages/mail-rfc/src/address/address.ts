/**
 * Parses addresses of SMTP commands: the paths of MAIL FROM and RCPT TO (RFC 5321 §4.1.2, RFC 6531), given as the text
 * after the colon, into one canonical spelling. Header addresses (RFC 5322) are parsed by `address-list.ts`, the
 * parameters after the path by `esmtp-params.ts`.
 *
 * Deviations from the grammar: underscores in domain labels, since real senders use them, and what `local-part.ts` says.
 */

import { MailSyntaxError } from "../mail-syntax-error.ts";
import { canonicalLocal, FOREIGN_LOCAL_MAX_OCTETS } from "./local-part.ts";

export interface MailPath {
  /** Local part in canonical spelling, quoted only when necessary; empty for the null sender. */
  local: string;
  /**
   * Domain in lower case; an address literal keeps its brackets; empty for the null sender and for the bare
   * `<postmaster>`.
   */
  domain: string;
  /** `local@domain`, the form in which addresses are stored and compared. */
  canonical: string;
  isLiteral: boolean;
  /** Whether the address contains non-ASCII characters, so that the client must have requested SMTPUTF8. */
  needsSmtpUtf8: boolean;
}

const DOMAIN_MAX_OCTETS = 255;
/** Maximum octets of a path with its brackets: more than the 256 that RFC 5321 §4.5.3.1.3 asks for. */
const PATH_MAX_OCTETS = FOREIGN_LOCAL_MAX_OCTETS + DOMAIN_MAX_OCTETS + 3;
const NON_ASCII = "\\u{a0}-\\u{fffc}\\u{10000}-\\u{10ffff}";
const LABEL = new RegExp(`^(?!-)[A-Za-z0-9_${NON_ASCII}-]{1,63}(?<!-)$`, "u");
// Parts of a mailbox in ASCII whose local part needs no quotes.
const PLAIN_LOCAL = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+";
const PLAIN_LABEL = "(?!-)[A-Za-z0-9_-]{1,63}(?<!-)";
const PLAIN_ADDRESS = new RegExp(`^(${PLAIN_LOCAL})@(${PLAIN_LABEL}(?:\\.${PLAIN_LABEL})*)$`);
const PLAIN_CANONICAL = new RegExp(PLAIN_ADDRESS.source.replaceAll("A-Za-z0-9_-", "a-z0-9_-"));
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/**
 * Splits the argument of MAIL FROM or RCPT TO (the text after its colon) into the path and the parameters after it.
 * @returns e.g. `<ann@example.org> SIZE=10` → the path and `SIZE=10`
 * @throws MailSyntaxError as `parsePath` does
 */
export function parsePathArgument(argument: string): { path: MailPath; parameters: string } {
  const text = argument.trimStart();
  const end = findPathEnd(text);
  const rest = text.slice(end);
  if (end === 0 || (rest !== "" && !rest.startsWith(" "))) throw new MailSyntaxError("path_syntax");
  return { path: parsePath(text.slice(0, end)), parameters: rest.trim() };
}

/**
 * Parses one path with its angle brackets: a mailbox, `<>`, or `<postmaster>` without a domain. A source route is
 * dropped.
 * @example parsePath('<@relay.test:"ann"@Example.ORG>').canonical // "ann@example.org"
 * @throws MailSyntaxError `path_…`, `local_…`, `domain_…`, `literal_syntax`
 */
export function parsePath(text: string): MailPath {
  if (text === "<>") return makePath("", "");
  const plain = text.startsWith("<") && text.endsWith(">") ? readPlainAddress(text.slice(1, -1)) : null;
  if (plain !== null) return plain;
  if (Buffer.byteLength(text) > PATH_MAX_OCTETS) throw new MailSyntaxError("path_too_long");
  if (!text.startsWith("<") || !text.endsWith(">")) throw new MailSyntaxError("path_syntax");
  const mailbox = dropSourceRoute(text.slice(1, -1));
  if (mailbox.toLowerCase() === "postmaster") return makePath("postmaster", "");
  const at = mailbox.startsWith('"') ? mailbox.indexOf('"@', findQuoteEnd(mailbox)) + 1 : mailbox.indexOf("@");
  if (at < 1) throw new MailSyntaxError("path_syntax");
  return makePath(canonicalLocal(mailbox.slice(0, at)), canonicalDomain(mailbox.slice(at + 1)));
}

/**
 * Parses `local@domain` without angle brackets, by the rules of `parsePath`.
 * @throws MailSyntaxError as `parsePath` does
 */
export function parseAddress(text: string): MailPath {
  const plain = readPlainAddress(text);
  if (plain !== null) return plain;
  if (text === "" || text.startsWith("@")) throw new MailSyntaxError("path_syntax");
  const path = parsePath(`<${text}>`);
  if (path.domain === "") throw new MailSyntaxError("path_syntax");
  return path;
}

/**
 * Parses `local@domain` in ASCII and without quotes, which a single pattern can check.
 * @returns `null` for any other text, which `parseAddress` may accept
 */
export function readPlainAddress(text: string): MailPath | null {
  if (text.length + 2 > PATH_MAX_OCTETS) return null;
  const [, local, written] = PLAIN_ADDRESS.exec(text) ?? [];
  if (local === undefined || written === undefined || local.length > FOREIGN_LOCAL_MAX_OCTETS) return null;
  const domain = written.toLowerCase();
  return { local, domain, canonical: `${local}@${domain}`, isLiteral: false, needsSmtpUtf8: false };
}

/** Whether a text is an address as `readPlainAddress` returns it: `parseAddress` would return it unchanged. */
export function isPlainCanonical(text: string): boolean {
  return (
    text.length + 2 <= PATH_MAX_OCTETS && text.indexOf("@") <= FOREIGN_LOCAL_MAX_OCTETS && PLAIN_CANONICAL.test(text)
  );
}

/**
 * Splits the tag from an alias' local part.
 * @example splitAliasAddress("shop+summer") // { name: "shop", tag: "summer" }
 */
export function splitAliasAddress(local: string): { name: string; tag: string | null } {
  const plus = local.indexOf("+");
  return plus < 0 ? { name: local, tag: null } : { name: local.slice(0, plus), tag: local.slice(plus + 1) };
}

/**
 * Validates a domain name or address literal and converts it to lower case.
 * @throws MailSyntaxError `domain_syntax`, `domain_too_long`, `literal_syntax`
 */
export function canonicalDomain(text: string): string {
  if (Buffer.byteLength(text) > DOMAIN_MAX_OCTETS) throw new MailSyntaxError("domain_too_long");
  if (text.startsWith("[")) return canonicalLiteral(text);
  const domain = text.normalize("NFC").toLowerCase();
  if (!domain.isWellFormed() || !domain.split(".").every((label) => LABEL.test(label)))
    throw new MailSyntaxError("domain_syntax");
  return domain;
}

function makePath(local: string, domain: string): MailPath {
  const canonical = domain === "" ? local : `${local}@${domain}`;
  return {
    local,
    domain,
    canonical,
    isLiteral: domain.startsWith("["),
    needsSmtpUtf8: /[^\u{0}-\u{7f}]/u.test(canonical),
  };
}

/** Accepts IPv4 and IPv6 literals (RFC 5321 §4.1.3); no other literal tags are registered. */
function canonicalLiteral(text: string): string {
  const literal = text.toLowerCase();
  const inner = literal.slice(1, -1);
  const isKnown = inner.startsWith("ipv6:") ? isIpv6(inner.slice(5)) : IPV4.test(inner);
  if (!literal.endsWith("]") || !isKnown) throw new MailSyntaxError("literal_syntax");
  return literal;
}

function isIpv6(text: string): boolean {
  return /^[0-9a-f:.]{2,45}$/.test(text) && URL.canParse(`http://[${text}]/`);
}

/** Drops a source route, which is obsolete but "MUST be accepted" and ignored (RFC 5321 §4.1.1.3, appendix F.2). */
function dropSourceRoute(inside: string): string {
  if (!inside.startsWith("@")) return inside;
  const colon = inside.startsWith("@[") ? -1 : inside.indexOf(":");
  if (colon < 0) throw new MailSyntaxError("path_syntax");
  for (const hop of inside.slice(0, colon).split(",")) {
    if (!hop.startsWith("@")) throw new MailSyntaxError("path_syntax");
    canonicalDomain(hop.slice(1));
  }
  return inside.slice(colon + 1);
}

/** @returns the offset after the closing bracket, ignoring brackets in quotes; 0 when there is none */
function findPathEnd(text: string): number {
  const found = /^<[^"<>\\]*(?:"(?:[^"\\]|\\.)*"[^"<>\\]*)*>/su.exec(text);
  return found ? found[0].length : 0;
}

/**
 * @returns the offset of the quote that closes the string starting at 0; the length of the text when it is not closed
 */
function findQuoteEnd(text: string): number {
  const found = /^"(?:[^"\\]|\\.)*"/su.exec(text);
  return found ? found[0].length - 1 : text.length;
}
