/**
 * Retention periods of rows, in seconds. The retention job (`store/retention.ts`), the deletion dates in the account's
 * export and, through the contract, the legal pages share these figures.
 */
import { limits, retentionDays, sessionTimes } from "@kauke/contract";

const days = (count: number) => count * 86_400;

export const keptForSeconds = {
  /** From its last use. */
  idleLoginSession: sessionTimes.idleSeconds,
  /** From its start. */
  loginSession: sessionTimes.absoluteSeconds,
  /** From the start of its window. */
  rateLimit: days(retentionDays.securityRecords),
  /** After it has expired, so that the owner sees why a program stopped working. */
  expiredApiKey: days(retentionDays.securityRecords),
  notice: days(retentionDays.technicalLogs),
  /** From when the message was sent, failed or was cancelled. */
  endedEmailJob: days(retentionDays.technicalLogs),
  /** From the last change of state. */
  aliasImport: limits.importKeptHours * 3600,
  releasedAddress: days(retentionDays.deletedAlias),
  /** A count of refusals that has not suspended the mailbox, from the last refusal. */
  missingMailbox: days(retentionDays.technicalLogs),
  /** Mail to postmaster@ and abuse@, unless the operator deletes it earlier. */
  operatorMail: days(retentionDays.technicalLogs),
} as const;

export type Kept = keyof typeof keptForSeconds;

/** Time at which a row may be deleted. */
export function keptUntil(what: Kept, since: Date): Date {
  return new Date(since.getTime() + keptForSeconds[what] * 1000);
}

/** Rows whose period started earlier may be deleted by now. */
export function keptSince(what: Kept, now: Date): Date {
  return new Date(now.getTime() - keptForSeconds[what] * 1000);
}
