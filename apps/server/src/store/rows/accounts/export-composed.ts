/** Export of composed mail, its attachments and the people it went to. */
import { type EmailJobStatus, retentionDays } from "@kauke/contract";
import { isEnd } from "../../../core/email-job/email-job.ts";
import { keptUntil } from "../../../core/retention.ts";
import { clearRow, type ExportPages, type ExportSource, ownedRows } from "./export-rows.ts";

export const composedTables = {
  email_job: {
    about: "Messages you composed. Recipient and subject are erased once a message is sent, fails or is cancelled.",
    rows: (source: ExportSource): ExportPages =>
      ownedRows(source, "email_job", (row) => ({
        ...clearRow(source, "email_job", row),
        deletionDate: endOfJob(row as unknown as EndingJob),
      })),
  },
  contact: {
    about: "People you wrote to, and the age key of each if you stored it.",
    rows: (source: ExportSource): ExportPages =>
      ownedRows(source, "contact", (row) => ({
        ...clearRow(source, "contact", row),
        deletionDate: "when you forget them, when 500 others were used later, or with the account",
      })),
  },
  email_attachment: {
    about: "Files you attached to messages that are not sent yet. The sealed files themselves are not included.",
    rows: (source: ExportSource): ExportPages =>
      ownedRows(source, "email_attachment", (row) => ({
        ...clearRow(source, "email_attachment", row),
        deletionDate: keptUntil("emailAttachment", row.created_at as Date).toISOString(),
      })),
  },
} as const;

interface EndingJob {
  status: EmailJobStatus;
  updated_at: Date;
}

function endOfJob({ status, updated_at }: EndingJob): string {
  const ended = isEnd(status);
  return ended
    ? keptUntil("endedEmailJob", updated_at).toISOString()
    : `${retentionDays.technicalLogs} days after it ended, or with the account`;
}
