import {
  type Body,
  type EmailJobStatusWire,
  type EndedEmailJob,
  type JobRecipientWire,
  limits,
  uniqueRecipients,
  type WaitingEmailJob,
} from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { createEmailJob, type NewEmailJob } from "../../core/email-job/create-email-job.ts";
import {
  cancelEmailJob,
  type EmailJob,
  type EndedJob,
  getEmailJob,
  type JobRecipient,
  lastErrorOf,
  recipientErrorOf,
  type WaitingJob,
} from "../../core/email-job/email-job.ts";
import type { Handlers } from "../handler.ts";

export function emailJobHandlers(deps: CoreDeps) {
  return {
    async createEmailJob({ userId, body, origin }) {
      const job = await createEmailJob(deps, newEmailJobFromWire(userId, body, origin));
      return { jobId: job.id, ...undoOf(job, deps), status: job.status };
    },
    async listWaitingEmailJobs({ userId, query }) {
      if (query.ended === "true") {
        const since = new Date(deps.clock.now().getTime() - limits.endedJobDays * DAY_MS);
        const ended = await deps.emailJobs.listEnded(userId, since, limits.endedJobsShown);
        return { jobs: [], ended: ended.map(endedJobToWire) };
      }
      const waiting = await deps.emailJobs.listWaiting(userId, limits.waitingJobsShown);
      return { jobs: waiting.map(waitingJobToWire) };
    },
    async getEmailJobStatus({ userId, params }) {
      return emailJobToWire(await getEmailJob(deps, { userId, ...params }));
    },
    async cancelEmailJob({ userId, params }) {
      await cancelEmailJob(deps, { userId, ...params });
      return { success: true, message: "Email cancelled" };
    },
  } satisfies Partial<Handlers>;
}

const DAY_MS = 86_400_000;

/** Of a repeated request, the time that is left. */
function undoOf({ status, createdAt }: EmailJob, { undoSeconds, clock }: CoreDeps) {
  const passedMs = clock.now().getTime() - createdAt.getTime();
  const left = Math.max(0, undoSeconds - Math.floor(passedMs / 1000));
  const canUndo = status === "pending";
  return { canUndo, undoSeconds: canUndo ? left : 0 };
}

export function newEmailJobFromWire(userId: string, body: Body<"createEmailJob">, siteOrigin: string): NewEmailJob {
  const keys = [body.recipientPublicKey ?? "", ...(body.recipientPublicKeys ?? [])].filter((key) => key !== "");
  return {
    jobId: body.jobId ?? null,
    userId,
    aliasId: body.fromAliasId,
    siteOrigin,
    recipients: uniqueRecipients(body),
    subject: body.subject,
    body: body.body,
    // The contract guarantees a recipient's public key when encryption is requested.
    publicKeys: body.useEncryption === true ? [...new Set(keys)] : [],
    attachments: body.attachments ?? [],
    priority: body.priority ?? 0,
    scheduledAt: body.scheduledAt ? new Date(body.scheduledAt) : null,
  };
}

export function emailJobToWire(job: EmailJob): EmailJobStatusWire {
  const { status, currentRetries, maxRetries, messageId } = job;
  const recipients = job.recipients.map(recipientToWire);
  return { success: true, status, currentRetries, maxRetries, lastError: lastErrorOf(job), messageId, recipients };
}

export function waitingJobToWire({ job, content, nextAttemptAt }: WaitingJob): WaitingEmailJob {
  const { id: jobId, aliasId, status, currentRetries, maxRetries } = job;
  const { recipients, subject } = content;
  return {
    jobId,
    aliasId,
    to: recipients[0]?.address ?? "",
    recipients: job.recipients.map(recipientToWire),
    subject,
    status,
    scheduledAt: nextAttemptAt.toISOString(),
    currentRetries,
    maxRetries,
    lastError: lastErrorOf(job),
  };
}

function endedJobToWire({ job, endedAt }: EndedJob): EndedEmailJob {
  const { id: jobId, aliasId, status } = job;
  const recipients = job.recipients.map(recipientToWire);
  return { jobId, aliasId, status, endedAt: endedAt.toISOString(), lastError: lastErrorOf(job), recipients };
}

function recipientToWire(recipient: JobRecipient): JobRecipientWire {
  const { address, kind, state } = recipient;
  return { address, kind, state, lastError: recipientErrorOf(recipient) };
}
