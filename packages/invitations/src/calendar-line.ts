/** Parses unfolded lines with calendar addresses (RFC 5545 §3.1, §3.3.3, §3.8.4); `null` for anything else. */

import { parseAddressList } from "@kauke/mail-rfc";

export interface CalendarValue {
  text: string;
  isQuoted: boolean;
  address: string | null;
  /** Whether another program could find an address in the text, even if this parser does not. */
  hasAtSign: boolean;
}

export interface CalendarParameter {
  name: string;
  values: CalendarValue[];
}

export interface CalendarLine {
  name: string;
  parameters: CalendarParameter[];
  value: CalendarValue;
}

const ADDRESS_MAX = 1000;
const NAME = /[^;:]*/y;
// An unquoted mailto occurs: its colon does not start the property's value.
const VALUE = /"([^"]*)"|(mailto:[^";:,]*|[^";:,]*)/iy;
const PARAMETER_NAME = /;[ \t]*([^=;:",]*)(=?)/y;
const SCHEME = /^\s*(?:mailto:\s*)+/i;

export function readCalendarLine(line: string): CalendarLine | null {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0] ?? "";
  const parameters: CalendarParameter[] = [];
  let at = name.length;
  while (line[at] === ";") {
    PARAMETER_NAME.lastIndex = at;
    const found = PARAMETER_NAME.exec(line);
    if (found === null) return null;
    at = PARAMETER_NAME.lastIndex;
    const values = found[2] === "=" ? readValues(line, at) : { values: [], end: at };
    parameters.push({ name: found[1] ?? "", values: values.values });
    at = values.end;
  }
  if (line[at] !== ":") return null;
  return { name: name.trim(), parameters, value: calendarValue(line.slice(at + 1), false) };
}

function readValues(line: string, start: number): { values: CalendarValue[]; end: number } {
  const values: CalendarValue[] = [];
  let end = start;
  do {
    if (values.length > 0) end += 1;
    VALUE.lastIndex = end;
    const [, quoted, plain = ""] = VALUE.exec(line) ?? [];
    values.push(calendarValue(quoted ?? plain, quoted !== undefined));
    end = VALUE.lastIndex;
  } while (line[end] === ",");
  return { values, end };
}

export function calendarValue(text: string, isQuoted: boolean): CalendarValue {
  if (text.length > ADDRESS_MAX) return { text, isQuoted, address: null, hasAtSign: true };
  const decoded = percentDecoded(text).normalize("NFKC");
  // A doubly encoded "@" is one for a program that decodes twice.
  const hasAtSign = decoded.includes("@") || /%(?:25)+40/.test(text);
  const [mailbox] = hasAtSign ? parseAddressList(decoded.replace(SCHEME, "").split("?", 1)[0] ?? "") : [];
  return { text, isQuoted, address: mailbox?.address ?? null, hasAtSign };
}

/** The new address, with a scheme if the other had one (RFC 6068 §2). */
export function writeAddress(before: CalendarValue, address: string): string {
  const [scheme] = SCHEME.exec(before.text) ?? [];
  return scheme === undefined ? address : `${scheme.trim()}${mailtoForm(address)}`;
}

export function formatCalendarLine({ name, parameters, value }: CalendarLine): string {
  const written = parameters.map(({ name: title, values }) => {
    const list = values.map(({ text, isQuoted }) => (isQuoted ? `"${text}"` : text)).join(",");
    return values.length === 0 ? `;${title}` : `;${title}=${list}`;
  });
  return `${name}${written.join("")}:${value.text}`;
}

function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** Percent-encodes what RFC 6068 §2 does not allow in a mailto address. */
function mailtoForm(address: string): string {
  return address
    .toWellFormed()
    .replace(/[^A-Za-z0-9@!$'*+\-./=^_`{|}~]/gu, (character) => encodeURIComponent(character));
}
