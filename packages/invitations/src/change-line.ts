import {
  type CalendarLine,
  type CalendarParameter,
  type CalendarValue,
  calendarValue,
  formatCalendarLine,
  writeAddress,
} from "./calendar-line.ts";

export interface CalendarChange {
  addressFor(address: string): string | null;
  nameFor(name: string, address: ChangedAddress): string;
  /** What to do with a value that may contain an unreadable address, or one for which `addressFor` returns `null`. */
  unreadable: "remove" | "keep";
  commentFor?: (text: string) => string;
}

export interface ChangedAddress {
  before: string | null;
  after: string | null;
}

export interface Line {
  raw: string;
  line: CalendarLine | null;
  charset: "utf-8" | "latin1" | "utf-16";
  lineEnd: string;
}

/** Octets of a folded line (RFC 5545 §3.1). */
const FOLD_COLUMNS = 75;

export function addressesOfLine({ parameters, value }: CalendarLine): string[] {
  const values = [value, ...parameters.filter(isNotDisplayName).flatMap((parameter) => parameter.values)];
  return values.flatMap(({ address }) => address ?? []);
}

const isNotDisplayName = ({ name }: CalendarParameter) => name.trim().toUpperCase() !== "CN";

export function changeLine({ line, charset, lineEnd }: Line, change: CalendarChange): string | null {
  if (line === null) return change.unreadable === "remove" ? "" : null;
  const value = changeValue(line.value, change);
  if (value === null) return "";
  const address = { before: line.value.address, after: value.address };
  const parameters = line.parameters.flatMap((parameter) =>
    isNotDisplayName(parameter) ? changeParameter(parameter, change) : changeName(parameter, address, change),
  );
  const changed = { ...line, parameters, value };
  const text = formatCalendarLine(changed);
  if (text === formatCalendarLine(line)) return null;
  if (change.unreadable === "remove" && hasOther(text, addressesOfLine(changed))) return "";
  const characters = charset === "utf-8" ? Buffer.from(text).toString("latin1") : text;
  const isWithin = charset === "utf-8" ? /[\x80-\xbf]/ : /[\udc00-\udfff]/;
  return `${fold(characters, lineEnd === "" ? "\r\n" : lineEnd, isWithin)}${lineEnd}`;
}

function changeValue(value: CalendarValue, { addressFor, unreadable }: CalendarChange): CalendarValue | null {
  if (!value.hasAtSign) return value;
  const instead = value.address === null ? null : addressFor(value.address);
  if (instead === null) return unreadable === "keep" ? value : null;
  if (instead === value.address && isExactly(value)) return value;
  return { ...calendarValue(writeAddress(value, instead), value.isQuoted), address: instead };
}

/** Whether the text is exactly the address, so that no program can read another one in it. */
function isExactly({ text, address }: CalendarValue): boolean {
  return (
    text
      .trim()
      .replace(/^mailto:/i, "")
      .toLowerCase() === address?.toLowerCase()
  );
}

function changeParameter(parameter: CalendarParameter, change: CalendarChange): CalendarParameter[] {
  const values = parameter.values.flatMap((value) => {
    const changed = changeValue(value, change);
    if (changed === null) return [];
    return changed === value ? [value] : withQuotes(changed);
  });
  return values.length === 0 && parameter.values.length > 0 ? [] : [{ ...parameter, values }];
}

/** A value that can't be quoted is left out (RFC 5545 §3.1). */
function withQuotes(value: CalendarValue): CalendarValue[] {
  if (/["\p{Cc}]/u.test(value.text)) return [];
  return [/[;:,]/.test(value.text) && !/^mailto:[^;:,]*$/i.test(value.text) ? { ...value, isQuoted: true } : value];
}

function changeName(
  parameter: CalendarParameter,
  address: ChangedAddress,
  change: CalendarChange,
): CalendarParameter[] {
  const [first] = parameter.values;
  if (first === undefined) return [parameter];
  // An unquoted name with a comma was parsed as several values.
  const text = parameter.values.map((value) => value.text).join(",");
  const name = change.nameFor(text, address);
  if (name === text) return [parameter];
  const values = withQuotes({ text: name, isQuoted: first.isQuoted, address: null, hasAtSign: false });
  return values.length === 0 ? [] : [{ ...parameter, values }];
}

/** Whether another program could find anything besides the given addresses in the text. */
function hasOther(text: string, addresses: readonly string[]): boolean {
  const known = new Set(addresses.map((address) => address.toLowerCase()));
  const rest = [...known].reduce((left, address) => left.replaceAll(address, ""), text.toLowerCase());
  return /@|%40/.test(rest);
}

/** @param isWithin matches a unit that continues a character, before which there must be no fold */
export function fold(text: string, lineEnd: string, isWithin: RegExp): string {
  const lines: string[] = [];
  let start = 0;
  for (let room = FOLD_COLUMNS; text.length - start > room; room = FOLD_COLUMNS - 1) {
    let end = start + room;
    for (let back = 0; back < 3 && isWithin.test(text[end] ?? ""); back += 1) end -= 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return [...lines, text.slice(start)].join(`${lineEnd} `);
}
