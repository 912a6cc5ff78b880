/** One line of `kauke doctor`. */
export type CheckState = "ok" | "warn" | "fix";

export interface CheckResult {
  /** `fix`: mail is lost, refused or distrusted until somebody mends it; `warn`: worth knowing. */
  state: CheckState;
  /** e.g. `dkim` */
  check: string;
  /** What was looked at, e.g. a domain or a port. */
  subject: string;
  /** One sentence or two: what is, and what to do about it. */
  says: string;
}

/** Makes the lines of one check of one subject. */
export function checking(check: string, subject: string) {
  const make = (state: CheckState) => (says: string) => ({ state, check, subject, says }) satisfies CheckResult;
  return { ok: make("ok"), warn: make("warn"), fix: make("fix") };
}
