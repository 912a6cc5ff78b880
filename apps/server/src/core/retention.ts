/**
 * Retention periods of rows. The retention job (`store/retention.ts`) and the deletion dates in the account's export
 * share these figures. They come from the contract, which the legal pages use too.
 */
import { limits, retentionDays, sessionTimes } from "@kauke/contract";

const days = (count: number) => count * 86_400;

export const keptForSeconds = {
  /** Time an idle login session is kept, counted from its last use. */
  idleLoginSession: sessionTimes.idleSeconds,
  /** Time any login session is kept, counted from its start. */
  loginSession: sessionTimes.absoluteSeconds,
  /** Time the count of a rate limit is kept, counted from the start of its window. */
  rateLimit: days(retentionDays.securityRecords),
  /**
   * Time an API key stays in the owner's list after it has expired, so that the owner sees why a program stopped
   * working.
   */
  expiredApiKey: days(retentionDays.securityRecords),
  notice: days(retentionDays.technicalLogs),
  /** Time the record of a composed message is kept, counted from when the message was sent, failed or was cancelled. */
  endedEmailJob: days(retentionDays.technicalLogs),
  /** Time the rows of an import are kept after its last change of state. */
  aliasImport: limits.importKeptHours * 3600,
  releasedAddress: days(retentionDays.deletedAlias),
  /** Time a count of refusals that has not suspended the mailbox is kept, counted from the last refusal. */
  missingMailbox: days(retentionDays.technicalLogs),
  /** Time mail to postmaster@ and abuse@ is kept unless the operator deletes it earlier. */
  operatorMail: days(retentionDays.technicalLogs),
} as const;

export type Kept = keyof typeof keptForSeconds;

/** Time at which a row may be deleted. */
export function keptUntil(what: Kept, since: Date): Date {
  return new Date(since.getTime() + keptForSeconds[what] * 1000);
}

/** Latest start of a retention period that is over by now: rows whose period started earlier may be deleted. */
export function keptSince(what: Kept, now: Date): Date {
  return new Date(now.getTime() - keptForSeconds[what] * 1000);
}
