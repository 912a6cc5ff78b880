import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { failureText } from "../delivery/failure-text.ts";
import type { EmailJob } from "./email-job.ts";

export const JOB_NOT_FOUND = "Email job not found";

/** Reads the record of a composed message. @throws AppError `not_found` */
export async function getEmailJob(
  { emailJobs }: Pick<CoreDeps, "emailJobs">,
  { userId, jobId }: { userId: string; jobId: string },
): Promise<EmailJob> {
  const job = await emailJobs.find(userId, jobId);
  if (job === null) throw new AppError("not_found", { message: JOB_NOT_FOUND });
  return job;
}

/** Why the last attempt failed, in our own words; never a peer's reply text. */
export function lastErrorOf({ lastFailure }: EmailJob): string | null {
  return lastFailure === null ? null : `The recipient's address did not take it: ${failureText[lastFailure.code]}.`;
}
