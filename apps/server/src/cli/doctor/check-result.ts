/**
 * State of a check of `kauke doctor`. `ok`: nothing to do; `warn`: worth knowing; `fix`: mail is lost, refused or
 * distrusted until the operator acts.
 */
export type CheckState = "ok" | "warn" | "fix";

export interface CheckResult {
  state: CheckState;
  /** Name of the check, e.g. `dkim`. */
  check: string;
  /** What was checked, e.g. a domain or a port. */
  subject: string;
  /** One or two sentences: the finding, and what to do about it. */
  says: string;
}

/** Returns functions that make the results of one check of one subject. */
export function checking(check: string, subject: string) {
  const make = (state: CheckState) => (says: string) => ({ state, check, subject, says }) satisfies CheckResult;
  return { ok: make("ok"), warn: make("warn"), fix: make("fix") };
}
