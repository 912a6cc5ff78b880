import { limits } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { createEmailJob } from "../../core/email-job/create-email-job.ts";
import { cancelEmailJob, getEmailJob } from "../../core/email-job/email-job.ts";
import type { HandlersOf } from "../handler.ts";
import { emailJobToWire, newEmailJobFromWire, waitingJobToWire } from "./wire.ts";

type EmailJobCalls = "createEmailJob" | "listWaitingEmailJobs" | "getEmailJobStatus" | "cancelEmailJob";

export function emailJobHandlers(deps: CoreDeps): HandlersOf<EmailJobCalls> {
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
  };
}
