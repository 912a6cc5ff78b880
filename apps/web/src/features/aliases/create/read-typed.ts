/** Reads pasted addresses, `Name <a@b>`, `mailto:` and lists. The API itself takes comma-separated lists only. */
import { isMailbox, isWebhookUrl, parseForwardTo } from "@kauke/contract";
import { splitAtSign } from "@kauke/contract/split-address";
import { t } from "../../../texts/texts.ts";
import { entriesOf } from "../alias-text.ts";

interface TypedName {
  alias: string;
  /** Absent if no domain was typed, or none of this server's. */
  domain?: string;
}

/** @example readName("Shop <shop@kauke.test>", ["kauke.test"]) // { alias: "shop", domain: "kauke.test" } */
export function readName(text: string, domains: readonly string[]): TypedName {
  const [address = text] = addressesIn(text);
  const { local, domain } = splitAtSign(bare(address));
  const own = domains.find((candidate) => candidate.toLowerCase() === domain.toLowerCase());
  return local === "" || own === undefined ? { alias: text } : { alias: local, domain: own };
}

/**
 * A valid list of destinations is left alone (URLs may contain semicolons).
 * @example readDestinations("Ann <ann@example.org>; bob@example.org,") // "ann@example.org, bob@example.org"
 */
export function readDestinations(text: string): string {
  if (text.trim() === "" || parseForwardTo(text) !== null) return text;
  const entries = new Map<string, string>();
  for (const entry of splitOutside(text, /[,\r\n]/y).flatMap((part) => readEntry(part))) {
    const key = keyOf(entry);
    if (!entries.has(key)) entries.set(key, entry);
  }
  return [...entries.values()].join(", ");
}

export function hasDestination(entries: readonly string[], destination: string): boolean {
  return entries.some((entry) => keyOf(entry) === keyOf(destination));
}

/** @param typed what the field had last; a text that does not end with it was set by something else */
export function splitTyping(text: string, typed: string): { tokens: string[]; typing: string } {
  const isTyped = typed.trim() !== "" && text.endsWith(typed);
  const rest = isTyped ? text.slice(0, -typed.length) : text;
  return { tokens: [...new Set(entriesOf(rest))], typing: isTyped || text === "" ? typed : "" };
}

interface TextField {
  value: string;
  selectionStart: number | null;
  selectionEnd: number | null;
}

/** The field's text after a paste, with line ends, which a field of one line would drop. */
export function pastedInto({ value, selectionStart, selectionEnd }: TextField, pasted: string): string {
  const end = value.length;
  return `${value.slice(0, selectionStart ?? end)}${pasted}${value.slice(selectionEnd ?? end)}`;
}

export function toggleDestination(text: string, destination: string): string {
  const entries = entriesOf(readDestinations(text));
  const others = entries.filter((entry) => keyOf(entry) !== keyOf(destination));
  return (others.length < entries.length ? others : [...entries, destination]).join(", ");
}

export function replaceDestination(text: string, from: string, to: string): string {
  return entriesOf(text)
    .map((entry) => (entry === from ? to : entry))
    .join(", ");
}

/** Key by which duplicates are found: mailboxes match in any letter case. */
const keyOf = (entry: string): string => (isMailbox(entry) ? entry.toLowerCase() : entry);

export function wrongDestinations(entries: readonly string[]): string[] {
  return entries.filter((entry) => !isDestination(entry)).map(reasonOf);
}

const HOST_WITH_PATH = /^[\w-]+(?:\.[\w-]+)+\/\S*$/;

function reasonOf(entry: string): string {
  if (HOST_WITH_PATH.test(entry)) return t("“{entry}” needs https:// in front to be a webhook.", { entry });
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(entry))
    return t("“{entry}” is not a web address that starts with http or https.", { entry });
  if (entry.includes("@")) return t("“{entry}” is not a complete e-mail address.", { entry });
  return t("“{entry}” is neither an e-mail address nor a webhook.", { entry });
}

export const isDestination = (entry: string): boolean => isMailbox(entry) || isWebhookUrl(entry);

/** Destinations are split at a semicolon before a blank first: others may be part of a URL. */
const separators = [/;(?=\s|$)/y, /;/y];

function readEntry(text: string, [separator, ...others]: readonly RegExp[] = separators): string[] {
  const read = readWhole(text) ?? readWords(text);
  if (read !== null) return read;
  if (separator === undefined) return [text.trim().replace(/\s+/g, " ")];
  return splitOutside(text, separator).flatMap((part) => readEntry(part, others));
}

/** Reads destinations separated by blanks; `null` if any word is none. */
function readWords(text: string): string[] | null {
  const words = splitOutside(text, /\s/y).map((word) => readWhole(word.replace(/^;+|;+$/g, "")));
  return words.every((word) => word !== null) ? words.flat() : null;
}

function readWhole(text: string): string[] | null {
  const entry = text.trim();
  if (entry === "") return [];
  if (isDestination(entry)) return [entry];
  const plain = bare(entry);
  if (isDestination(plain)) return [plain];
  return readNamed(entry);
}

/** Reads `Ann <ann@example.org>`, once or in a row; `null` for anything else. */
function readNamed(entry: string): string[] | null {
  const plain = entry.replace(/"[^"]*"/g, (name) => name.replace(/[<>;]/g, " "));
  if (!/^(?:[^<>;]*<[^<>]*>)+\W*$/.test(plain)) return null;
  const words = [...plain.matchAll(/<([^<>]*)>|[^\s<>;]+/g)].map(([word, inner]) => bare(inner ?? word));
  return addressesIn(plain).map(bare).every(isDestination) ? words.filter(isDestination) : null;
}

const addressesIn = (text: string): string[] => [...text.matchAll(/<([^<>]*)>/g)].map(([, inner = ""]) => inner);

/** Strips invisible characters, `mailto:` with its query, quotes, brackets and a full stop from an address. */
function bare(text: string): string {
  const seen = text.replace(/\p{Cf}/gu, "").trim();
  const undressed = seen.replace(/^[<("'“‘[]+/, "").replace(/[>)"'”’\].:;,]+$/, "");
  if (!/^mailto:/i.test(undressed)) return undressed;
  return decoded(undressed.slice("mailto:".length).replace(/\?.*$/s, ""));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Splits a text, but not within quotes or angle brackets that close again. */
function splitOutside(text: string, separator: RegExp): string[] {
  const parts = [""];
  for (const { 0: piece, index } of text.matchAll(/"[^"]*"|<[^<>]*>|[^]/g)) {
    separator.lastIndex = index;
    if (piece.length === 1 && separator.test(text)) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts;
}
