/**
 * Retention periods of rows. The retention job (`store/retention.ts`) and the deletion dates in the account's export
 * share these figures. They come from the contract, which the legal pages use too.
 */
import { retentionDays, sessionTimes } from "@kauke/contract";

const days = (count: number) => count * 86_400;

export const keptForSeconds = {
  /** Counted from the session's last use. */
  idleLoginSession: sessionTimes.idleSeconds,
  /** Counted from the start of the session. */
  loginSession: sessionTimes.absoluteSeconds,
  /** Counted from the start of the rate limit's window. */
  rateLimit: days(retentionDays.securityRecords),
  notice: days(retentionDays.technicalLogs),
  /** Counted from when the message was sent, failed or was cancelled. */
  endedEmailJob: days(retentionDays.technicalLogs),
  releasedAddress: days(retentionDays.deletedAlias),
  /** Refusals that have not suspended a mailbox, counted from the last one. */
  missingMailbox: days(retentionDays.technicalLogs),
  /** Mail to postmaster@ and abuse@ that the operator has not deleted earlier. */
  operatorMail: days(retentionDays.technicalLogs),
} as const;

export type Kept = keyof typeof keptForSeconds;

/** Time at which a row may be deleted. */
export function keptUntil(what: Kept, since: Date): Date {
  return new Date(since.getTime() + keptForSeconds[what] * 1000);
}

/** Time before which a row's retention period must have started for the row to be deleted now. */
export function keptSince(what: Kept, now: Date): Date {
  return new Date(now.getTime() - keptForSeconds[what] * 1000);
}
