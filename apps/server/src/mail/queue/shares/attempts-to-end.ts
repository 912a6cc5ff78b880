/**
 * Chooses which running delivery attempts to end, so that no account and no destination takes up everybody's connections: every
 * attempt beyond its deadline, and, where slow attempts or attempts waiting for their answer exceed a share, those of the busiest
 * party first. Pure.
 */
export interface AttemptView {
  account: string;
  /** The destination's domain, or the webhook's host. */
  destination: string;
  /** The IP address connected to; `null` before the connection. */
  peer: string | null;
  /** Milliseconds spent at the destination; time in our own queues does not count. */
  activeMs: number;
  /** The part of `activeMs` since `peer` was reached. */
  activeAtPeerMs: number;
  /** Milliseconds since the attempt began, time in our own queues included. */
  totalMs: number;
  /** Milliseconds that the attempt may spend at the destination before the message is sent. */
  deadlineMs: number;
  /** The final dot was sent: the destination may have the message, so ending it may deliver it twice. */
  isSent: boolean;
}

export interface AttemptShares {
  all: number;
  account: number;
  destination: number;
}

export interface AttemptLimits {
  /** An attempt that has not sent its message after this time is slow. */
  slowAfterMs: number;
  /** So is one that waits so long for the answer to its message. */
  slowAnswerMs: number;
  slow: AttemptShares;
  /** Attempts whose message was sent and that wait for its answer. */
  sent: AttemptShares;
  /** Longest time before the message is sent, waiting in our lines included. */
  totalMs: number;
}

export function attemptsToEnd<T extends AttemptView>(attempts: readonly T[], limits: AttemptLimits): T[] {
  const overdue = attempts.filter((it) => isOverdue(it, limits));
  const slow = attempts.filter((it) => !it.isSent && it.activeMs > limits.slowAfterMs && !isOverdue(it, limits));
  const sent = attempts.filter((it) => it.isSent);
  return [...overdue, ...beyondShares(slow, limits.slow, limits), ...beyondShares(sent, limits.sent, limits)];
}

function isOverdue({ isSent, activeMs, totalMs, deadlineMs }: AttemptView, limits: AttemptLimits): boolean {
  return !isSent && (activeMs > deadlineMs || totalMs > limits.totalMs);
}

/** Within a party the newest go, so that the others get to their end; over all shares the oldest of the busiest party go. */
function beyondShares<T extends AttemptView>(
  attempts: readonly T[],
  shares: AttemptShares,
  { slowAfterMs }: AttemptLimits,
): T[] {
  const partiesOf = (attempt: AttemptView) => partiesToCharge(attempt, slowAfterMs);
  const counts = new Map<string, number>();
  const over: T[] = [];
  const within: T[] = [];
  for (const attempt of attempts.toSorted((a, b) => b.activeMs - a.activeMs)) {
    const parties = partiesOf(attempt);
    const isOver = parties.some(
      ({ key, kind }) => (counts.get(key) ?? 0) >= shares[kind === "account" ? "account" : "destination"],
    );
    if (isOver) {
      over.push(attempt);
      continue;
    }
    within.push(attempt);
    for (const { key } of parties) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const tooMany = within.length - shares.all;
  return tooMany > 0
    ? [...over, ...busiestFirst(within, (attempt) => business(partiesOf(attempt), counts)).slice(0, tooMany)]
    : over;
}

/** `within` is sorted by age already, and sorting is stable. */
function busiestFirst<T extends AttemptView>(within: readonly T[], business: (attempt: T) => number): T[] {
  return within
    .map((attempt) => ({ attempt, business: business(attempt) }))
    .sort((a, b) => b.business - a.business)
    .map(({ attempt }) => attempt);
}

interface Party {
  key: string;
  kind: "account" | "destination";
}

/** Of the busiest of the parties. */
const business = (parties: readonly Party[], counts: ReadonlyMap<string, number>): number =>
  Math.max(...parties.map(({ key }) => counts.get(key) ?? 0));

/** The address only for what was slow there: time before it, such as DNS or other hosts, is charged to account and destination. */
function partiesToCharge(attempt: AttemptView, slowAfterMs: number): Party[] {
  const { account, destination, activeAtPeerMs, isSent } = attempt;
  const peer = isSent || activeAtPeerMs > slowAfterMs ? attempt.peer : null;
  const parties: Party[] = [{ key: `to ${destination}`, kind: "destination" }];
  if (account !== "") parties.push({ key: `of ${account}`, kind: "account" });
  if (peer !== null) parties.push({ key: `at ${peer}`, kind: "destination" });
  return parties;
}
