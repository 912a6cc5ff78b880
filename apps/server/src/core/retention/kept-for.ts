/**
 * How long a row is kept, and from when on: one figure for the job that forgets it (`store/retention.ts`) and for the date the
 * account's own export names. The figures themselves are the contract's, where the legal pages read them too.
 */
import { retentionDays, sessionTimes } from "@kauke/contract";

const days = (count: number) => count * 86_400;

export const keptForSeconds = {
  /** Since it was last used. */
  idleLoginSession: sessionTimes.idleSeconds,
  /** Since it was opened. */
  loginSession: sessionTimes.absoluteSeconds,
  /** Since the window began. */
  rateLimit: days(retentionDays.securityRecords),
  notice: days(retentionDays.technicalLogs),
  /** Since it was sent, failed or was cancelled. */
  endedEmailJob: days(retentionDays.technicalLogs),
  releasedAddress: days(retentionDays.deletedAlias),
  /** Refusals that suspended nothing, since the last of them. */
  missingMailbox: days(retentionDays.technicalLogs),
  /** Mail to postmaster@ and abuse@ that nobody forgot before. */
  operatorMail: days(retentionDays.technicalLogs),
} as const;

export type Kept = keyof typeof keptForSeconds;

/** The moment from which a row may be gone. */
export function keptUntil(what: Kept, since: Date): Date {
  return new Date(since.getTime() + keptForSeconds[what] * 1000);
}

/** Rows whose time began before this are over. */
export function keptSince(what: Kept, now: Date): Date {
  return new Date(now.getTime() - keptForSeconds[what] * 1000);
}
