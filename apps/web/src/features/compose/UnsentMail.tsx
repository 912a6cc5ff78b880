/** Enqueued and scheduled mail can be undone after a reload too. */
import type { WaitingEmailJob } from "@kauke/contract";
import { Clock } from "lucide-react";
import { useState } from "react";
import { useWaitingEmailJobs } from "../../api/email-jobs.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { undoJob } from "./job-tracker.ts";

interface RowProps {
  job: WaitingEmailJob;
  askedAt: Date;
  onUndone: () => Promise<unknown>;
}

function Row({ job, askedAt, onUndone }: RowProps) {
  const [isUndoing, setUndoing] = useState(false);
  const onUndo = async () => {
    setUndoing(true);
    await undoJob(job.jobId);
    await onUndone();
    setUndoing(false);
  };
  return (
    <li>
      <Clock className="i" aria-hidden />
      <div>
        <b>{job.subject}</b>
        <span>To {job.to}</span>
        <span>{waitingText(job, askedAt)}</span>
      </div>
      <SubmitButton
        type="button"
        className="btn-sm"
        label={`Undo ${job.subject}`}
        pending={isUndoing}
        pendingLabel="Undo"
        disabled={job.status === "sending"}
        onClick={() => void onUndo()}
      >
        Undo
      </SubmitButton>
    </li>
  );
}

export function UnsentMail({ userId }: { userId: string }) {
  const {
    data: jobs = [],
    dataUpdatedAt,
    refetch,
  } = useWaitingEmailJobs(userId, (found) => pollDelayMs(found, new Date()));
  if (jobs.length === 0) return null;
  return (
    <section className="card waiting" aria-labelledby="waiting-mail">
      <div className="card-head">
        <h2 id="waiting-mail">Waiting to be sent</h2>
        <span className="tag">{jobs.length}</span>
      </div>
      <ul>
        {jobs.map((job) => (
          <Row key={job.jobId} job={job} askedAt={new Date(dataUpdatedAt)} onUndone={refetch} />
        ))}
      </ul>
    </section>
  );
}

type Waiting = Pick<WaitingEmailJob, "status" | "scheduledAt" | "currentRetries" | "maxRetries">;

/** Messages due within this time are polled more often. */
const SOON_MS = 60_000;
const SOON_POLL_MS = 3000;
const LATE_POLL_MS = 60_000;

/** @example waitingText(job) // "Leaves at 14:30", "Retry 1/3 at 14:30" */
export function waitingText({ status, scheduledAt, currentRetries, maxRetries }: Waiting, now: Date): string {
  if (status === "sending") return "Being sent";
  const isSoon = Date.parse(scheduledAt) - now.getTime() < SOON_MS;
  const when = isSoon ? "in a moment" : `at ${timeText(scheduledAt, now)}`;
  return currentRetries > 0 ? `Retry ${currentRetries}/${maxRetries} ${when}` : `Leaves ${when}`;
}

/** Milliseconds until the next poll; `false` if no message waits. */
export function pollDelayMs(jobs: readonly Waiting[], now: Date): number | false {
  if (jobs.length === 0) return false;
  const isAnySoon = jobs.some(
    (job) => job.status === "sending" || Date.parse(job.scheduledAt) - now.getTime() < SOON_MS,
  );
  return isAnySoon ? SOON_POLL_MS : LATE_POLL_MS;
}
