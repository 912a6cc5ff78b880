/** Errors in the form that clients compatible with SimpleLogin read: `{"error": text}`. */
import type { ProblemBody } from "@kauke/contract";
import type { DialectProblem } from "../dialect-errors.ts";

/** Text by which SimpleLogin's clients recognise that their API key is invalid. They delete their stored key at 401. */
const WRONG_KEY = "Wrong api key";

export function toSimpleLoginError({ code, message }: ProblemBody, status: number): DialectProblem {
  // A request without a key that may come from another site's page is answered like any other request without a key.
  if (code === "key_invalid" || code === "not_signed_in" || code === "cross_site")
    return { status: 401, body: { error: WRONG_KEY } };
  return { status, body: { error: message } };
}
