/** Retention periods in seconds, for the retention job, the account's export and the legal pages. */
import { limits, retentionDays, sessionTimes } from "@kauke/contract";

const days = (count: number) => count * 86_400;

export const keptForSeconds = {
  idleLoginSession: sessionTimes.idleSeconds,
  loginSession: sessionTimes.absoluteSeconds,
  /** Since the rate limit's window began. */
  rateLimit: days(retentionDays.securityRecords),
  /** An expired key is still shown, so that the owner sees why a program stopped working. */
  expiredApiKey: days(retentionDays.securityRecords),
  notice: days(retentionDays.technicalLogs),
  emailAttachment: limits.attachmentKeptHours * 3600,
  endedEmailJob: days(retentionDays.technicalLogs),
  /** Since the import's last change of state. */
  aliasImport: limits.importKeptHours * 3600,
  releasedAddress: days(retentionDays.deletedAlias),
  /** Since the last refusal, for a count that has not suspended the mailbox. */
  missingMailbox: days(retentionDays.technicalLogs),
  operatorMail: days(retentionDays.technicalLogs),
  /** Since the last change of an alias that a provider of earlier had. */
  goneProviderAlias: days(retentionDays.deletedAlias),
  operatorAct: days(retentionDays.technicalLogs),
} as const;

export type Kept = keyof typeof keptForSeconds;

export function keptUntil(what: Kept, since: Date): Date {
  return new Date(since.getTime() + keptForSeconds[what] * 1000);
}

export function keptSince(what: Kept, now: Date): Date {
  return new Date(now.getTime() - keptForSeconds[what] * 1000);
}
