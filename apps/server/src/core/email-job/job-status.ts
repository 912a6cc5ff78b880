/**
 * State machine of a composed message. The store's statements check each transition by `statesBefore`, so that no other
 * transition can happen.
 */
import { type EmailJobStatus, emailJobStatuses } from "@kauke/contract";

/**
 * `claim`: a delivery worker starts an attempt, possible again from `sending` after a worker crashed. `retry`: the
 * attempt failed temporarily. `deliver`, `fail`: the message was sent, or failed permanently. `cancel`: the owner
 * cancelled it, or its alias was paused, renamed or deleted; only while no worker is sending it.
 */
export const jobEvents = ["claim", "retry", "deliver", "fail", "cancel"] as const;
export type JobEvent = (typeof jobEvents)[number];

const transitions: Record<EmailJobStatus, Partial<Record<JobEvent, EmailJobStatus>>> = {
  pending: { claim: "sending", cancel: "cancelled" },
  sending: { claim: "sending", retry: "pending", deliver: "sent", fail: "failed" },
  sent: {},
  failed: {},
  cancelled: {},
};

/** The status of a job after an event. @returns `null` when the event cannot happen in the given status */
export function nextStatus(status: EmailJobStatus, event: JobEvent): EmailJobStatus | null {
  return transitions[status][event] ?? null;
}

/** Statuses of composed mail in which the event is possible. */
export function statesBefore(event: JobEvent): EmailJobStatus[] {
  return emailJobStatuses.filter((status) => nextStatus(status, event) !== null);
}

/** Whether the status is final, so that no event can follow. */
export function isEnd(status: EmailJobStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}
