import { canStandInField, type FieldText, foldedField, headerField, neutralized } from "./header-field.ts";

export interface ReceivedTrace {
  helo: string;
  clientAddress: string;
  /** Confirmed reverse name; `null` is written as "unknown". */
  clientName?: string | null;
  by: string;
  /** Protocol keyword of Received (RFC 3848, RFC 6531). */
  protocol: "SMTP" | "ESMTP" | "ESMTPS" | "ESMTPSA" | "ESMTPA" | "UTF8SMTP" | "UTF8SMTPS" | "UTF8SMTPSA" | "UTF8SMTPA";
  id: string;
  /** Alias for the "for" clause, never a destination; only if the message has one recipient. */
  forAlias?: string | null;
  at: Date;
}

const COLUMNS = 78;
const LONGEST_WORD = 300;
const DOMAIN_WORD = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[A-Za-z0-9:.]+\])$/;

export function formatReceived(trace: ReceivedTrace): FieldText {
  const id = trace.id.replace(/[^A-Za-z0-9._-]/g, "").slice(0, LONGEST_WORD) || "unknown";
  const helo = domainWord(trace.helo);
  const host = `from ${helo} ${clientComment(trace, helo === trace.helo)} by ${domainWord(trace.by)}`;
  const text = `${host} with ${trace.protocol} id ${id}${forClause(trace.forAlias)}; ${formatDate(trace.at)}`;
  return foldedField("Received", text, { columns: COLUMNS, indent: "\t" });
}

/** A domain; a name that may stand only in a comment is written as "unknown". */
function domainWord(text: string): string {
  return text.length <= 255 && DOMAIN_WORD.test(text) ? text : "unknown";
}

function clientComment(trace: ReceivedTrace, isHeloShown: boolean): string {
  const name = trace.clientName ? domainWord(trace.clientName) : "unknown";
  const address = trace.clientAddress.replace(/[^0-9A-Fa-f:.]/g, "").slice(0, 45) || "unknown";
  const helo = isHeloShown ? "" : ` helo=${commentText(trace.helo)}`;
  return `(${name} [${address.includes(":") ? `IPv6:${address}` : address}]${helo})`;
}

/** Text of a comment: parentheses and backslashes are escaped (RFC 5322 §3.2.2), other characters become "?". */
function commentText(text: string): string {
  return text
    .slice(0, 64)
    .replace(/[^!-~]/g, "?")
    .replace(/[()\\]/g, "\\$&");
}

function forClause(alias: string | null | undefined): string {
  return alias && canStandInField(alias) && /^[^\s<>()]{3,254}$/u.test(alias) ? ` for <${alias}>` : "";
}

export interface MethodResult {
  method: string;
  result: string;
  /** Comment; left out if it has more than letters, digits, spaces and `.:-`. */
  comment?: string;
  /** Properties; names are our constants, values may be chosen by remote hosts. */
  properties?: readonly (readonly [name: string, value: string | undefined])[];
}

// Tokens (RFC 2045 §5.1), "@", "/" and "+". No quoted strings: parsers differ in how they end one.
const VALUE = /^[A-Za-z0-9!#$%&'*+./=?^_`{|}~@-]{1,320}$/;
const COMMENT = /^[A-Za-z0-9][A-Za-z0-9 .:-]{0,79}$/;
const KEYWORD = /^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/;

/** @example resultsValue("mx.test", [{ method: "spf", result: "pass" }]) // "mx.test; spf=pass" */
export function resultsValue(authservId: string, found: readonly MethodResult[]): string {
  const rows = found.map(({ method, result, comment = "", properties = [] }) => {
    const kept = properties.flatMap(([name, value]) =>
      value !== undefined && VALUE.test(value) ? ` ${name}=${value}` : [],
    );
    const words = COMMENT.test(comment) ? ` (${comment})` : "";
    return `${method}=${KEYWORD.test(result) ? result : "none"}${words}${kept.join("")}`;
  });
  return [authservId, ...(rows.length === 0 ? ["none"] : rows)].join("; ");
}

/** Words of a stored value, unfolded and neutralized: older versions stored folds and unchecked remote text. */
export function resultsWords(value: string): string[] {
  return neutralized(value.replace(/\r\n[ \t]+/g, " "))
    .split(" ")
    .filter(canStandInField);
}

export function formatResultsField(value: string): FieldText {
  return headerField("Authentication-Results", resultsWords(value));
}

/** Names for dates in UTC only: a local offset would reveal where a server or person is. */
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @example formatDate(new Date(0)) // "Thu, 1 Jan 1970 00:00:00 +0000" */
export function formatDate(date: Date): string {
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(":");
  return `${day} ${time} +0000`;
}

/** Parses a Date field; `null` when it is unreadable or outside the years 1970 to 9999. */
export function readDate(value: string): Date | null {
  // Comments may name the zone and are removed; the platform parses the rest.
  const date = new Date(value.length > 100 ? "" : value.replace(/\([^()]*\)/g, " ").trim());
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date : null;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/**
 * Whether Authentication-Results claim to be a host's. Any word before the first semicolon counts, comments included,
 * since parsers differ (RFC 8601 §2.2, §5).
 */
export function isResultOf(value: string, host: string): boolean {
  const lower = value.toLowerCase();
  const words = [lower, lower.replace(/\([^()]*\)/g, " ")].flatMap(
    (text) => text.split(";", 1)[0]?.split(/[\s"()]+/) ?? [],
  );
  return words.includes(host.toLowerCase());
}
