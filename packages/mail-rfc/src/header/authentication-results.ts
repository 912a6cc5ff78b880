/**
 * Formats the results of our checks as Authentication-Results (RFC 8601 §2.2). Selectors, domains and senders are
 * chosen by remote hosts, so a value is left out when it is too long or contains characters beyond those of a token, a
 * domain or an address.
 */
import { canStandInField, type FieldText, headerField, neutralized } from "./header-field.ts";

export interface MethodResult {
  /** Authentication method: `spf`, `dkim`, `dmarc` or `arc`. */
  method: string;
  result: string;
  /**
   * Explanation, e.g. `body hash did not verify`; left out if it contains more than letters, digits, spaces and `.:-`.
   */
  comment?: string;
  /** Properties, e.g. `header.d`. Names are our constants; values may be chosen by remote hosts. */
  properties?: readonly (readonly [name: string, value: string | undefined])[];
}

// Token characters (RFC 2045 §5.1), "@" for addresses, "/" and "+" for base64. No quoted strings: parsers differ in how
// they end one.
const VALUE = /^[A-Za-z0-9!#$%&'*+./=?^_`{|}~@-]{1,320}$/;
const COMMENT = /^[A-Za-z0-9][A-Za-z0-9 .:-]{0,79}$/;
const KEYWORD = /^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/;

/**
 * Formats the field's value on one line. Without results it is `…; none`.
 * @param authservId our host name
 * @example resultsValue("mx.test", [{ method: "spf", result: "pass" }]) // "mx.test; spf=pass"
 */
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

/**
 * Splits a value into words between which it may be folded. Values stored by older versions contain folds and unchecked
 * remote text, so they are unfolded and neutralized.
 */
export function resultsWords(value: string): string[] {
  return neutralized(value.replace(/\r\n[ \t]+/g, " "))
    .split(" ")
    .filter(canStandInField);
}

/** Formats the whole field with its CRLF. @param value result of `resultsValue`, possibly stored by an older version */
export function formatResultsField(value: string): FieldText {
  return headerField("Authentication-Results", resultsWords(value));
}
