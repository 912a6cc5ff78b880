/** What waits to be sent, was sent, or failed: below the form, so that nothing there moves. */
import type { WaitingEmailJob } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Check, CircleAlert, Clock } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { refetchJobs, useWaitingEmailJobs } from "../../api/email-jobs.ts";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { type JobCalls, trackJob, undoJob, useJobProgress } from "./job-tracker.ts";
import { titleOf } from "./letter.ts";
import { addressesOf, namesOf } from "./recipients.ts";
import { jobCallsOf, refreshSent, type SentDraft, useSentLetters, writeAgain } from "./sent-letters.ts";

interface RowProps {
  job: WaitingEmailJob;
  calls: JobCalls;
  onUndone: () => Promise<unknown>;
}

function WaitingRow({ job, calls, onUndone }: RowProps) {
  const [isUndoing, setUndoing] = useState(false);
  const onUndo = async () => {
    setUndoing(true);
    await undoJob(job.jobId, calls);
    await onUndone();
    setUndoing(false);
  };
  return (
    <li>
      <Clock className="i" aria-hidden />
      <div>
        <b>{job.subject}</b>
        <span>To {job.to}</span>
        <span>{waitingText(job, new Date())}</span>
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

function Waiting({ jobs, calls, onUndone }: { jobs: readonly WaitingEmailJob[] } & Omit<RowProps, "job">) {
  if (jobs.length === 0) return null;
  return (
    <section className="card outbox" aria-labelledby="waiting-mail">
      <div className="card-head">
        <h2 id="waiting-mail">Waiting to be sent</h2>
        <span className="tag">{jobs.length}</span>
      </div>
      <ul className="rows-list">
        {jobs.map((job) => (
          <WaitingRow key={job.jobId} {...{ job, calls, onUndone }} />
        ))}
      </ul>
    </section>
  );
}

const endWords = { sent: "Sent", failed: "Not sent", cancelled: "Cancelled" } as const;

function EndedRow({ draft: { id, savedAt, value } }: { draft: SentDraft }) {
  const status = value.status ?? "failed";
  const Icon = status === "sent" ? Check : CircleAlert;
  const title = titleOf(value.letter);
  return (
    <li className={status}>
      <Icon className="i" aria-hidden />
      <div>
        <b>{title}</b>
        <span>To {namesOf(addressesOf(value.letter))}</span>
        <span>
          {endWords[status]}, {timeText(new Date(savedAt).toISOString())}
        </span>
      </div>
      {status === "sent" ? null : (
        <Button isSmall aria-label={`Write again: ${title}`} onClick={() => void writeAgain(id)}>
          Write again
        </Button>
      )}
    </li>
  );
}

function Ended({ title, id, drafts }: { title: string; id: string; drafts: readonly SentDraft[] }) {
  if (drafts.length === 0) return null;
  return (
    <section className="card outbox" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        <span className="tag">{drafts.length}</span>
      </div>
      <ul className="rows-list">
        {drafts.map((draft) => (
          <EndedRow key={draft.id} draft={draft} />
        ))}
      </ul>
    </section>
  );
}

/** Tracks what is due soon, also what was enqueued before a reload; the rest is tracked when its time comes. */
function useTracking(jobs: readonly WaitingEmailJob[] | undefined, calls: JobCalls): void {
  useEffect(() => {
    const timers = (jobs ?? []).map((job) => {
      const waitMs = Date.parse(job.scheduledAt) - Date.now() - SOON_MS;
      const track = () => trackJob(job.jobId, job.to, calls);
      if (waitMs > 0) return waitMs > LONGEST_TIMER_MS ? undefined : setTimeout(track, waitMs);
      track();
      return undefined;
    });
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  }, [jobs, calls]);
}

/** A letter that the server no longer lists has ended while no tab was looking: its state is asked for once. */
function useMissedEnds(
  jobs: readonly WaitingEmailJob[] | undefined,
  sent: readonly SentDraft[],
  calls: JobCalls,
): void {
  const [asked] = useState(() => new Set<string>());
  useEffect(() => {
    if (jobs === undefined) return;
    for (const { id, value } of sent) {
      if (value.status !== null || asked.has(id) || jobs.some(({ jobId }) => jobId === id)) continue;
      asked.add(id);
      void calls.readStatus(id).then(
        ({ status }) => status !== "pending" && status !== "sending" && calls.onEnd(id, status),
        () => {},
      );
    }
  }, [jobs, sent, calls, asked]);
}

export function Outbox({ userId }: { userId: string }) {
  const client = useQueryClient();
  const { data: jobs, refetch } = useWaitingEmailJobs(userId);
  const sent = useSentLetters();
  const progress = useJobProgress();
  const calls = useMemo(() => jobCallsOf(userId, () => void refetchJobs(client, userId)), [client, userId]);
  useEffect(() => void refreshSent(), [userId]);
  useTracking(jobs, calls);
  useMissedEnds(jobs, sent, calls);
  const waiting = (jobs ?? []).map((job) => ({ ...job, ...statusOf(progress[job.jobId]?.status) }));
  const ended = sent.filter(({ value }) => value.status !== null);
  return (
    <>
      <Waiting jobs={waiting} calls={calls} onUndone={refetch} />
      <Ended title="Not sent" id="failed-mail" drafts={ended.filter(({ value }) => value.status !== "sent")} />
      <Ended title="Sent" id="sent-mail" drafts={ended.filter(({ value }) => value.status === "sent")} />
    </>
  );
}

const statusOf = (polled: string | undefined) => (polled === "sending" ? ({ status: "sending" } as const) : {});

type WaitingState = Pick<WaitingEmailJob, "status" | "scheduledAt" | "currentRetries" | "maxRetries">;

/** Messages due within this time are tracked. */
const SOON_MS = 60_000;
/** The longest time that `setTimeout` takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @example waitingText(job) // "Leaves at 14:30", "Retry 1/3 at 14:30" */
export function waitingText({ status, scheduledAt, currentRetries, maxRetries }: WaitingState, now: Date): string {
  if (status === "sending") return "Being sent";
  const isSoon = Date.parse(scheduledAt) - now.getTime() < SOON_MS;
  const when = isSoon ? "in a moment" : `at ${timeText(scheduledAt, now)}`;
  return currentRetries > 0 ? `Retry ${currentRetries}/${maxRetries} ${when}` : `Leaves ${when}`;
}
