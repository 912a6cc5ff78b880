/**
 * The life of a composed message as a table: what happens to it in which state, and what it is then. The store's statements
 * guard each step by `statesBefore`, so that nothing happens that is not written here.
 */
import { type EmailJobStatus, emailJobStatuses } from "@kauke/contract";

/**
 * `claim`: a sender takes it up; again from `sending`, when the sender before it died. `retry`: the recipient's side was not
 * ready. `deliver`, `fail`: the two ends of a try. `cancel`: its owner's wish, or its alias was paused, renamed or deleted;
 * only while no sender has it, since nobody can call back what may be on the wire.
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

/** @returns `null` when that can't happen in this state */
export function nextStatus(status: EmailJobStatus, event: JobEvent): EmailJobStatus | null {
  return transitions[status][event] ?? null;
}

/** The states in which this can happen. */
export function statesBefore(event: JobEvent): EmailJobStatus[] {
  return emailJobStatuses.filter((status) => nextStatus(status, event) !== null);
}

/** Nothing happens to it any more. */
export function isEnd(status: EmailJobStatus): boolean {
  return Object.keys(transitions[status]).length === 0;
}
