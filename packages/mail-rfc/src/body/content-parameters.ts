/**
 * Parses parameters of Content-Type and Content-Disposition (RFC 2045 §5.1, RFC 2231) as leniently as the most lenient
 * programs: continuations are joined, percent-encoding is decoded. The result says what a part may be taken for; it is
 * not for writing fields.
 */
export interface ContentParameters {
  /** Media type or disposition in lower case, without parameters, e.g. `text/calendar`. */
  value: string;
  /** Distinct values by parameter name; names in lower case, without the `*` and numbers of RFC 2231. */
  parameters: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether the field is longer than `CONTENT_FIELD_MAX`, so that the rest was not parsed. */
  isCut: boolean;
}

/** Maximum UTF-16 units parsed of one field. */
export const CONTENT_FIELD_MAX = 8192;
// Matches one parameter at any offset without backtracking: separators, a name, and the value if there is an "=".
const PARAMETER = /[\s;]*(?:([^\s=;"]{1,200})\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;\s]*)))?)?/sy;
const COMMENT = /\([^()"]*\)/g;

/** @param text unfolded field value; only the first `CONTENT_FIELD_MAX` characters are parsed */
export function readContentParameters(text: string): ContentParameters {
  const field = text.slice(0, CONTENT_FIELD_MAX);
  const parameters = new Map<string, Set<string>>();
  const withoutComments = field.includes("(") ? field.replace(COMMENT, " ") : field;
  if (field.includes(";")) readParameters(withoutComments, parameters);
  // Some programs do not support comments, so the field is parsed with its comments as well.
  if (withoutComments !== field) readParameters(field, parameters);
  const [value = ""] = withoutComments.split(";", 1);
  return {
    value: value.replace(/\s+/g, "").toLowerCase(),
    parameters,
    isCut: text.length > CONTENT_FIELD_MAX,
  };
}

/** Collects parameters. Always continues after the last match, so that no character is read more than a few times. */
function readParameters(field: string, parameters: Map<string, Set<string>>): void {
  const continued = new Map<string, string>();
  for (let at = field.indexOf(";"); at >= 0; at = field.indexOf(";", PARAMETER.lastIndex)) {
    PARAMETER.lastIndex = at;
    const [, title, quoted, plain] = PARAMETER.exec(field) ?? [];
    if (title === undefined || (quoted === undefined && plain === undefined)) continue;
    const [name = "", ...marks] = title.toLowerCase().split("*");
    const content = plain ?? quoted?.replace(/\\(.)/gs, "$1") ?? "";
    if (marks.length === 0) add(parameters, name, content);
    else continued.set(name, (continued.get(name) ?? "") + content);
  }
  for (const [name, content] of continued) add(parameters, name, extendedValue(content));
}

/**
 * @returns the value of a parameter of Content-Type or Content-Disposition; `null` when it is missing or has several
 * values
 */
export function onlyParameter({ parameters }: ContentParameters, name: string): string | null {
  const [first = null, second] = parameters.get(name) ?? [];
  return second === undefined ? first : null;
}

function add(parameters: Map<string, Set<string>>, name: string, content: string): void {
  const known = parameters.get(name);
  if (known === undefined) parameters.set(name, new Set([content]));
  else known.add(content);
}

/** Decodes an RFC 2231 value. @param content e.g. `utf-8'en'a%20b` */
function extendedValue(content: string): string {
  const text = content.replace(/^[\w.-]{0,40}'[\w-]{0,40}'/, "");
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
