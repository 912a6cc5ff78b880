/** Converts composed messages between core and the wire, with the names of the specification's section 7. */
import type { Body, EmailJobStatusWire, WaitingEmailJob } from "@kauke/contract";
import type { NewEmailJob } from "../../core/email-job/create-email-job.ts";
import { type EmailJob, lastErrorOf, type WaitingJob } from "../../core/email-job/email-job.ts";

export function newEmailJobFromWire(userId: string, body: Body<"createEmailJob">): NewEmailJob {
  return {
    userId,
    aliasId: body.fromAliasId,
    to: body.to,
    subject: body.subject,
    body: body.body,
    // The contract guarantees a recipient's public key when encryption is requested.
    recipientPublicKey: body.useEncryption === true ? (body.recipientPublicKey ?? "") : null,
    priority: body.priority ?? 0,
    scheduledAt: body.scheduledAt ? new Date(body.scheduledAt) : null,
  };
}

export function emailJobToWire(job: EmailJob): EmailJobStatusWire {
  const { status, currentRetries, maxRetries, messageId } = job;
  return { success: true, status, currentRetries, maxRetries, lastError: lastErrorOf(job), messageId };
}

export function waitingJobToWire({ job, content, nextAttemptAt }: WaitingJob): WaitingEmailJob {
  const { id: jobId, aliasId, status, currentRetries, maxRetries } = job;
  const { recipient: to, subject } = content;
  return {
    jobId,
    aliasId,
    to,
    subject,
    status,
    scheduledAt: nextAttemptAt.toISOString(),
    currentRetries,
    maxRetries,
    lastError: lastErrorOf(job),
  };
}
