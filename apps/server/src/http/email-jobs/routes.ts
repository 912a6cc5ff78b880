import { type Body, type EmailJobStatusWire, limits, type WaitingEmailJob } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { createEmailJob, type NewEmailJob } from "../../core/email-job/create-email-job.ts";
import {
  cancelEmailJob,
  type EmailJob,
  getEmailJob,
  lastErrorOf,
  type WaitingJob,
} from "../../core/email-job/email-job.ts";
import type { Handlers } from "../handler.ts";

export function emailJobHandlers(deps: CoreDeps) {
  return {
    async createEmailJob({ userId, body }) {
      const job = await createEmailJob(deps, newEmailJobFromWire(userId, body));
      return { jobId: job.id, canUndo: true, undoSeconds: deps.undoSeconds };
    },
    async listWaitingEmailJobs({ userId }) {
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
