/**
 * What was found about a message, as Authentication-Results say it (RFC 8601 §2.2). Selectors, domains and senders come from
 * strangers: a value that needs more than the signs of a token, a domain or an address is left out, and so is one that is too long.
 */
import { canStandInField, type FieldText, headerField, neutralized } from "./header-field.ts";

export interface MethodResult {
  /** `spf`, `dkim`, `dmarc` or `arc`. */
  method: string;
  result: string;
  /** Words of a program, e.g. `body hash did not verify`; left out when they hold more than letters, digits and blanks. */
  comment?: string;
  /** Types and names are ours, e.g. `header.d`; values may be a stranger's. */
  properties?: readonly (readonly [name: string, value: string | undefined])[];
}

// Token signs of RFC 2045 §5.1, "@" of an address, "/" and "+" of base64. No quoted strings: readers differ in how they end one.
const VALUE = /^[A-Za-z0-9!#$%&'*+./=?^_`{|}~@-]{1,320}$/;
const COMMENT = /^[A-Za-z0-9][A-Za-z0-9 .:-]{0,79}$/;
const KEYWORD = /^[A-Za-z0-9][A-Za-z0-9-]{0,30}$/;

/**
 * The value of the field on one line. Without a method it reads `…; none`.
 * @param authservId our name
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
 * Words of a value to be folded between. One that was written by an older version, folds and all, is neutralised: strangers'
 * text stands in it.
 */
export function resultsWords(value: string): string[] {
  return neutralized(value.replace(/\r\n[ \t]+/g, " "))
    .split(" ")
    .filter(canStandInField);
}

/** The whole field with its CRLF. @param value as `resultsValue` gives it, or as it was kept */
export function formatResultsField(value: string): FieldText {
  return headerField("Authentication-Results", resultsWords(value));
}
