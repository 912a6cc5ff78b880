/**
 * Composed messages that have not been sent yet. Enqueued and scheduled ones are listed, and can be undone, after a
 * reload too.
 */
import type { WaitingEmailJob } from "@kauke/contract";
import { Clock } from "lucide-react";
import { useState } from "react";
import { useWaitingEmailJobs } from "../../api/email-jobs.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { undoJob } from "./job-tracker.ts";
import { pollDelayMs, waitingText } from "./waiting-text.ts";

interface RowProps {
  job: WaitingEmailJob;
  /** When the list of waiting messages was requested. */
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

export function WaitingMail({ userId }: { userId: string }) {
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
