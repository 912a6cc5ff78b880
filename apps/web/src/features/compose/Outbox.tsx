/** What waits to be sent, was sent, or failed: below the form, so that nothing there moves. */
import type { EndedEmailJob, WaitingEmailJob } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Check, CircleAlert, Clock } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { refetchJobs, useEndedEmailJobs, useWaitingEmailJobs } from "../../api/email-jobs.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { useListFocus } from "../../ui/use-list-focus.ts";
import { useRevealed } from "../../ui/use-revealed.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { type JobCalls, trackJob, undoJob, useJobProgress } from "./job-tracker.ts";
import { type Letter, titleOf } from "./letter.ts";
import { letterAddresses, namesOf } from "./recipients.ts";
import { jobCallsOf, noteEnd, refreshSent, type SentDraft, useSentLetters, writeAgain } from "./sent-letters.ts";
import type { ComposeProps } from "./use-send.ts";

interface RowProps {
  job: WaitingEmailJob;
  calls: JobCalls;
  onUndone: () => Promise<unknown>;
}

function WaitingRow({ job, calls, onUndone }: RowProps) {
  const [isUndoing, setUndoing] = useState(false);
  const [shownAt] = useState(() => new Date());
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
        <span>{t("To {recipients}", { recipients: recipientsText(job) })}</span>
        <span>{waitingText(job, shownAt)}</span>
      </div>
      <SubmitButton
        type="button"
        className="btn-sm"
        label={t("Undo {subject}", { subject: job.subject })}
        pending={isUndoing}
        pendingLabel={t("Undo")}
        disabled={job.status === "sending"}
        onClick={() => void onUndo()}
      >
        {t("Undo")}
      </SubmitButton>
    </li>
  );
}

function Waiting({ jobs, calls, onUndone }: { jobs: readonly WaitingEmailJob[] } & Omit<RowProps, "job">) {
  const listFocus = useListFocus(() => document.querySelector<HTMLElement>("main"));
  if (jobs.length === 0) return null;
  return (
    <section className="card outbox" aria-labelledby="waiting-mail">
      <div className="card-head">
        <h2 id="waiting-mail">{t("Waiting to be sent")}</h2>
        <span className="tag">{jobs.length}</span>
      </div>
      <ul className="rows-list" {...listFocus}>
        {jobs.map((job) => (
          <WaitingRow key={job.jobId} {...{ job, calls, onUndone }} />
        ))}
      </ul>
    </section>
  );
}

/** Maximum number of rows in a list until the person asks for all. */
const ENDED_SHOWN = 5;

interface EndedLetter {
  jobId: string;
  status: EndedEmailJob["status"];
  endedAt: string;
  lastError: string | null;
  /** `null` if this browser does not have it: the server erases what was sent. */
  letter: Letter | null;
  /** Address of its alias, unless that was deleted. */
  sender: string | undefined;
}

function EndedRow({ ended: { jobId, status, endedAt, lastError, letter, sender } }: { ended: EndedLetter }) {
  const Icon = status === "sent" ? Check : CircleAlert;
  const from = sender === undefined ? t("Message from an alias") : t("Message from {sender}", { sender });
  const title = letter === null ? from : titleOf(letter);
  const word = status === "sent" ? t("Sent") : status === "cancelled" ? t("Cancelled") : t("Not sent");
  return (
    <li className={status}>
      <Icon className="i" aria-hidden />
      <div>
        <b>{title}</b>
        {letter === null ? null : <span>{t("To {recipients}", { recipients: namesOf(letterAddresses(letter)) })}</span>}
        <span>
          {word}, {timeText(endedAt)}
          {status === "sent" || lastError === null ? null : `. ${said(lastError)}`}
        </span>
      </div>
      {status === "sent" || letter === null ? null : (
        <Button isSmall aria-label={t("Write again: {title}", { title })} onClick={() => void writeAgain(jobId)}>
          {t("Write again")}
        </Button>
      )}
    </li>
  );
}

function Ended({ title, id, letters }: { title: string; id: string; letters: readonly EndedLetter[] }) {
  const [isWhole, setWhole] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useRevealed(list, isWhole, ENDED_SHOWN);
  if (letters.length === 0) return null;
  const shown = isWhole ? letters : letters.slice(0, ENDED_SHOWN);
  return (
    <section className="card outbox" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        <span className="tag">{letters.length}</span>
      </div>
      <ul className="rows-list" ref={list}>
        {shown.map((ended) => (
          <EndedRow key={ended.jobId} ended={ended} />
        ))}
      </ul>
      {shown.length === letters.length ? null : (
        <div className="card-foot">
          <Button isSmall look="quiet" onClick={() => setWhole(true)}>
            {t("Show all {count}", { count: letters.length })}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Polls the status of jobs that are due soon, also of those enqueued before a reload; of later ones when they are due. */
function useTracking(jobs: readonly WaitingEmailJob[], calls: JobCalls): void {
  useEffect(() => {
    const timers = jobs.map((job) => {
      const waitMs = Date.parse(job.scheduledAt) - Date.now() - SOON_MS;
      const track = () => trackJob(job.jobId, recipientsText(job), calls);
      if (waitMs > 0) return waitMs > LONGEST_TIMER_MS ? undefined : setTimeout(track, waitMs);
      track();
      return undefined;
    });
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  }, [jobs, calls]);
}

/** Jobs that ended while no tab was looking. */
function useMissedEnds(ended: readonly EndedEmailJob[], sent: readonly SentDraft[]): void {
  useEffect(() => {
    for (const { jobId, status } of ended)
      if (sent.some(({ id, value }) => id === jobId && value.status === null)) void noteEnd(jobId, status);
  }, [ended, sent]);
}

/** The server's list with what this browser still has of each; cancelled ones only while it has them. */
function endedLetters(
  ended: readonly EndedEmailJob[],
  sent: readonly SentDraft[],
  senders: ComposeProps["senders"],
): EndedLetter[] {
  return ended.flatMap(({ jobId, aliasId, status, endedAt, lastError }) => {
    const letter = sent.find(({ id }) => id === jobId)?.value.letter ?? null;
    const sender = senders?.find(({ id }) => id === aliasId);
    if (status === "cancelled" && letter === null) return [];
    return [{ jobId, status, endedAt, lastError, letter, sender: sender && addressOf(sender) }];
  });
}

const noJobs: readonly never[] = [];

export function Outbox({ userId, senders }: ComposeProps) {
  const client = useQueryClient();
  const { data: jobs = noJobs, refetch } = useWaitingEmailJobs(userId);
  const { data: ended = noJobs } = useEndedEmailJobs(userId);
  const sent = useSentLetters();
  const progress = useJobProgress();
  const calls = useMemo(() => jobCallsOf(userId, () => void refetchJobs(client, userId)), [client, userId]);
  useEffect(() => void refreshSent(), [userId]);
  useTracking(jobs, calls);
  useMissedEnds(ended, sent);
  const waiting = jobs.map((job) => ({ ...job, ...statusOf(progress[job.jobId]?.status) }));
  const letters = endedLetters(ended, sent, senders);
  return (
    <>
      <Waiting jobs={waiting} calls={calls} onUndone={refetch} />
      <Ended title={t("Not sent")} id="failed-mail" letters={letters.filter(({ status }) => status !== "sent")} />
      <Ended title={t("Sent")} id="sent-mail" letters={letters.filter(({ status }) => status === "sent")} />
    </>
  );
}

const recipientsText = ({ to, recipients }: WaitingEmailJob): string =>
  namesOf(recipients.length === 0 ? [to] : recipients.map(({ address }) => address ?? to));

const statusOf = (polled: string | undefined) => (polled === "sending" ? ({ status: "sending" } as const) : {});

type WaitingState = Pick<WaitingEmailJob, "status" | "scheduledAt" | "currentRetries" | "maxRetries">;

/** Messages due within this time are tracked. */
const SOON_MS = 60_000;
/** The longest time that `setTimeout` takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @example waitingText(job) // "Leaves at 14:30", "Retry 1/3 at 14:30" */
export function waitingText({ status, scheduledAt, currentRetries, maxRetries }: WaitingState, now: Date): string {
  if (status === "sending") return t("Being sent");
  const isSoon = Date.parse(scheduledAt) - now.getTime() < SOON_MS;
  const time = timeText(scheduledAt, now);
  if (currentRetries === 0) return isSoon ? t("Leaves in a moment") : t("Leaves at {time}", { time });
  const retry = `${currentRetries}/${maxRetries}`;
  return isSoon ? t("Retry {retry} in a moment", { retry }) : t("Retry {retry} at {time}", { retry, time });
}
