/**
 * API keys in the header of a request. A request with an `Authorization` or `Authentication` field, whatever its value,
 * is authorised by API key alone: its cookies are removed before anything reads them. So a page of another site that
 * adds such a field gains nothing from the cookies that the browser sends along.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Whether the request has a header field for an API key, even with an invalid value. */
export function hasKeyField(headers: IncomingHttpHeaders): boolean {
  return headers.authorization !== undefined || headers.authentication !== undefined;
}

/** Removes the cookies of a request. */
export function dropCookies({ headers }: Pick<IncomingMessage, "headers">): void {
  delete headers.cookie;
}

/**
 * Reads the API key of a request: `Authentication: <key>` (SimpleLogin's clients), otherwise `Authorization: Bearer
 * <key>`.
 * @returns `null` when the request has neither field; `""` when the value has another form
 */
export function credentialsOf({ authentication, authorization }: IncomingHttpHeaders): string | null {
  if (authentication !== undefined) return typeof authentication === "string" ? authentication.trim() : "";
  if (authorization === undefined) return null;
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? "";
}
