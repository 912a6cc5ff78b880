/**
 * Parses the paths of MAIL FROM and RCPT TO (RFC 5321 §4.1.2, RFC 6531) into one canonical spelling. Deviations, since
 * real senders use them: underscores in domain labels, dots anywhere in a local part, local parts above 64 octets.
 */
import { domainToASCII } from "node:url";
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface MailPath {
  local: string;
  /** In lower case; an address literal keeps its brackets; empty for the null sender and the bare `<postmaster>`. */
  domain: string;
  canonical: string;
  isLiteral: boolean;
  /** Whether the client must have requested SMTPUTF8. */
  needsSmtpUtf8: boolean;
}

/** Maximum octets of a local part of ours (RFC 5321 §4.5.3.1.1). */
export const LOCAL_MAX_OCTETS = 64;
/** Maximum octets of a foreign local part; real ones have up to 120. */
export const FOREIGN_LOCAL_MAX_OCTETS = 256;
const DOMAIN_MAX_OCTETS = 255;
const PATH_MAX_OCTETS = FOREIGN_LOCAL_MAX_OCTETS + DOMAIN_MAX_OCTETS + 3;
const NON_ASCII = "\\u{a0}-\\u{fffc}\\u{10000}-\\u{10ffff}";
const LABEL = new RegExp(`^(?!-)[A-Za-z0-9_${NON_ASCII}-]{1,63}(?<!-)$`, "u");
const PLAIN_LOCAL = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+";
const PLAIN_LABEL = "(?!-)[A-Za-z0-9_-]{1,63}(?<!-)";
const PLAIN_ADDRESS = new RegExp(`^(${PLAIN_LOCAL})@(${PLAIN_LABEL}(?:\\.${PLAIN_LABEL})*)$`);
const PLAIN_CANONICAL = new RegExp(PLAIN_ADDRESS.source.replaceAll("A-Za-z0-9_-", "a-z0-9_-"));
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/**
 * Splits `<ann@example.org> SIZE=10` into the path and `SIZE=10`.
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

/** Parses `local@domain` as `parsePath` does, with the same errors. */
export function parseAddress(text: string): MailPath {
  const plain = readPlainAddress(text);
  if (plain !== null) return plain;
  if (text === "" || text.startsWith("@")) throw new MailSyntaxError("path_syntax");
  const path = parsePath(`<${text}>`);
  if (path.domain === "") throw new MailSyntaxError("path_syntax");
  return path;
}

export function readPlainAddress(text: string): MailPath | null {
  if (text.length + 2 > PATH_MAX_OCTETS) return null;
  const [, local, written] = PLAIN_ADDRESS.exec(text) ?? [];
  if (local === undefined || written === undefined || local.length > FOREIGN_LOCAL_MAX_OCTETS) return null;
  const domain = written.toLowerCase();
  return { local, domain, canonical: `${local}@${domain}`, isLiteral: false, needsSmtpUtf8: false };
}

/** Whether `parseAddress` would return the text unchanged, for ASCII without quotes. */
export function isPlainCanonical(text: string): boolean {
  return (
    text.length + 2 <= PATH_MAX_OCTETS && text.indexOf("@") <= FOREIGN_LOCAL_MAX_OCTETS && PLAIN_CANONICAL.test(text)
  );
}

export function splitAliasAddress(local: string): { name: string; tag: string | null } {
  const plus = local.indexOf("+");
  return plus < 0 ? { name: local, tag: null } : { name: local.slice(0, plus), tag: local.slice(plus + 1) };
}

/** Validates and lower-cases a domain. @throws MailSyntaxError `domain_syntax`, `domain_too_long`, `literal_syntax` */
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

/** A source route must be accepted and ignored (RFC 5321 §4.1.1.3). */
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

/** @returns 0 when there is no closing bracket outside quotes */
function findPathEnd(text: string): number {
  const found = /^<[^"<>\\]*(?:"(?:[^"\\]|\\.)*"[^"<>\\]*)*>/su.exec(text);
  return found ? found[0].length : 0;
}

function findQuoteEnd(text: string): number {
  const found = /^"(?:[^"\\]|\\.)*"/su.exec(text);
  return found ? found[0].length - 1 : text.length;
}

const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${NON_ASCII}-]+`;
/** Matches a dot-string, and atoms with dots anywhere, which hosts use without quotes. */
const BARE = new RegExp(`^[A-Za-z0-9!#$%&'*+/=?^_\`{|}~.${NON_ASCII}-]+$`, "u");
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, "u");
const QUOTED = new RegExp(`^"(?:[ !#-\\[\\]-~${NON_ASCII}]|\\\\[ -~])*"$`, "u");
const QUOTABLE = new RegExp(`^[ -~${NON_ASCII}]*$`, "u");

/** `"ann.lee"` → `ann.lee`, `"ann\ lee"` → `"ann lee"`. @throws MailSyntaxError `local_syntax`, `local_too_long` */
export function canonicalLocal(text: string): string {
  if (Buffer.byteLength(text) > FOREIGN_LOCAL_MAX_OCTETS) throw new MailSyntaxError("local_too_long");
  if (hasLoneSurrogate(text)) throw new MailSyntaxError("local_syntax");
  if (BARE.test(text)) return text;
  if (QUOTED.test(text)) return quoteLocal(unquoteLocal(text));
  throw new MailSyntaxError("local_syntax");
}

export function isLocalPart(text: string): boolean {
  return DOT_STRING.test(text) || QUOTED.test(text);
}

export function unquoteLocal(local: string): string {
  return local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/gsu, "$1") : local;
}

/** Quotes a local part if necessary. @throws MailSyntaxError `local_syntax` for control characters */
export function quoteLocal(meaning: string): string {
  if (DOT_STRING.test(meaning)) return meaning;
  if (!QUOTABLE.test(meaning)) throw new MailSyntaxError("local_syntax");
  return `"${meaning.replace(/["\\]/g, "\\$&")}"`;
}

/** Like `quoteLocal`, but unquoted wherever its host allows it. */
export function spellLocal(meaning: string): string {
  return BARE.test(meaning) ? meaning : quoteLocal(meaning);
}

function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}

/** Splits at the last `@`, since a quoted local part may contain others. Without `@` the local part is empty. */
export function splitAddress(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { local: at < 0 ? "" : address.slice(0, at), domain: address.slice(at + 1) };
}

export function domainOf(address: string): string {
  return splitAddress(address).domain.toLowerCase();
}

/** Matches a plain ASCII host name; a number at the end is left out, since it may be part of an IP address. */
const PLAIN_NAME = /^(?:(?!xn--)[a-z0-9-]{1,63}\.)*[a-z]{1,63}$/;

/** The domain as A-labels (RFC 5891) in lower case; an invalid one only in lower case. */
export function asciiDomainOf(address: string): string {
  return asciiDomain(domainOf(address));
}

/** In lower case, with the domain as A-labels. @example asciiAddress("Ich@Bücher.example") // "ich@xn--bcher-kva.example" */
export function asciiAddress(address: string): string {
  const { local, domain } = splitAddress(address);
  return local === "" ? address.toLowerCase() : `${local.toLowerCase()}@${asciiDomain(domain)}`;
}

/** A domain as A-labels (RFC 5891) in lower case; an invalid one only in lower case. */
export function asciiDomain(domain: string): string {
  const name = domain.toLowerCase();
  return PLAIN_NAME.test(name) ? name : domainToASCII(name) || name;
}
