/** Errors in the form that clients compatible with SimpleLogin read: `{"error": text}`. */
import type { ProblemBody } from "@kauke/contract";
import type { DialectProblem } from "../dialect-errors.ts";

/** The text by which these clients know that their key is wrong. They forget their key when they get a 401. */
const WRONG_KEY = "Wrong api key";

export function toSimpleLoginError({ code, message }: ProblemBody, status: number): DialectProblem {
  // A request without a key that another site's page may have sent is answered like any other without a key.
  if (code === "key_invalid" || code === "not_signed_in" || code === "cross_site")
    return { status: 401, body: { error: WRONG_KEY } };
  return { status, body: { error: message } };
}
