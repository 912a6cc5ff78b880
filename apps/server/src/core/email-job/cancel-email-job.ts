import { emailJobMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { JOB_NOT_FOUND } from "./get-email-job.ts";

/**
 * Cancels a queued message: once this returns, no process sends it. Cancelling again changes nothing.
 * @throws AppError `not_found`, `too_late` when a delivery worker is sending the message or has sent it
 */
export async function cancelEmailJob(
  { emailJobs }: Pick<CoreDeps, "emailJobs">,
  { userId, jobId }: { userId: string; jobId: string },
): Promise<void> {
  const cancelled = await emailJobs.cancel(userId, jobId);
  if (cancelled === null) throw new AppError("not_found", { message: JOB_NOT_FOUND });
  if (!cancelled) throw new AppError("too_late", { message: emailJobMessages.tooLate });
}
