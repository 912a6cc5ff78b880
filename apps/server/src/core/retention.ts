/**
 * Retention periods of rows, in seconds. The retention job (`store/retention.ts`), the deletion dates in the account's
 * export and, through the contract, the legal pages share these figures.
 */
import { limits, retentionDays, sessionTimes } from "@kauke/contract";

const days = (count: number) => count * 86_400;

export const keptForSeconds = {
  /** Seconds since the session's last use. */
  idleLoginSession: sessionTimes.idleSeconds,
  /** Seconds since the session was opened. */
  loginSession: sessionTimes.absoluteSeconds,
  /** Seconds since the rate limit's window began. */
  rateLimit: days(retentionDays.securityRecords),
  /** Seconds for which an expired key is shown, so that the owner sees why a program stopped working. */
  expiredApiKey: days(retentionDays.securityRecords),
  notice: days(retentionDays.technicalLogs),
  /** Seconds since the message was sent, failed or was cancelled. */
  endedEmailJob: days(retentionDays.technicalLogs),
  /** Seconds since the import's last change of state. */
  aliasImport: limits.importKeptHours * 3600,
  releasedAddress: days(retentionDays.deletedAlias),
  /** Seconds since the last refusal, for a count that has not suspended the mailbox. */
  missingMailbox: days(retentionDays.technicalLogs),
  /** Mail to postmaster@ and abuse@, unless the operator deletes it earlier. */
  operatorMail: days(retentionDays.technicalLogs),
} as const;

export type Kept = keyof typeof keptForSeconds;

export function keptUntil(what: Kept, since: Date): Date {
  return new Date(since.getTime() + keptForSeconds[what] * 1000);
}

export function keptSince(what: Kept, now: Date): Date {
  return new Date(now.getTime() - keptForSeconds[what] * 1000);
}
