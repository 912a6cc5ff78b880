/**
 * Selects running delivery attempts to stop, so that no account and no destination uses up the connections: every
 * attempt past its deadline, and of the slow attempts and of those waiting for their reply as many as exceed a share.
 * An account's only attempt at a destination never exceeds the destination's share, which others may have used up. Pure.
 */

export interface AttemptView {
  account: string;
  /** Domain of the mailbox, or host of the webhook. */
  destination: string;
  /** IP address connected to; `null` before the connection. */
  peer: string | null;
  /** Milliseconds spent at the destination; time in our own queues does not count. */
  activeMs: number;
  /** The part of `activeMs` since the attempt connected to `peer`. */
  activeAtPeerMs: number;
  /** Milliseconds since the attempt began, including time in our own queues. */
  totalMs: number;
  /** Milliseconds that the attempt may spend at the destination before the message is sent. */
  deadlineMs: number;
  /** Whether the final dot was sent: the destination may have the message, and another attempt deliver it twice. */
  isSent: boolean;
}

export interface AttemptShares {
  all: number;
  account: number;
  destination: number;
}

export interface AttemptLimits {
  /** Milliseconds at the destination after which an attempt counts as slow while its message is not sent. */
  slowAfterMs: number;
  /** Milliseconds after which a sent message without a reply counts as slow. */
  slowAnswerMs: number;
  slow: AttemptShares;
  /** Shares of attempts whose message is sent and that wait for the reply. Destinations have none of these. */
  sent: Omit<AttemptShares, "destination">;
  /** Maximum milliseconds until the message is sent, including time in our own queues. */
  totalMs: number;
}

export function attemptsToEnd<T extends AttemptView>(attempts: readonly T[], limits: AttemptLimits): T[] {
  const { slowAfterMs } = limits;
  const overdue = attempts.filter((it) => isOverdue(it, limits));
  const slow = attempts.filter((it) => !it.isSent && it.activeMs > slowAfterMs && !isOverdue(it, limits));
  const sent = attempts.filter((it) => it.isSent);
  return [
    ...overdue,
    ...beyondShares(slow, { shares: limits.slow, slowAfterMs }),
    ...beyondShares(sent, { shares: limits.sent, slowAfterMs }),
  ];
}

function isOverdue({ isSent, activeMs, totalMs, deadlineMs }: AttemptView, limits: AttemptLimits): boolean {
  return !isSent && (activeMs > deadlineMs || totalMs > limits.totalMs);
}

interface Bounds {
  shares: Omit<AttemptShares, "destination"> & { destination?: number };
  slowAfterMs: number;
}

/**
 * Selects the newest attempts of each party over its share, of destinations those of accounts that have others there;
 * over the total, the oldest of the largest party.
 */
function beyondShares<T extends AttemptView>(attempts: readonly T[], { shares, slowAfterMs }: Bounds): readonly T[] {
  const partiesOf = (attempt: AttemptView) => partiesToCharge(attempt, slowAfterMs);
  const pairs = new Set<string>();
  const counts = new Map<string, number>();
  const isFull = ({ key, kind }: Party, account: string) => {
    const count = counts.get(key) ?? 0;
    const share = shares[kind];
    if (share === undefined || (kind === "destination" && !pairs.has(`${key} ${account}`))) return false;
    return count >= share;
  };
  const over: T[] = [];
  const within: T[] = [];
  for (const attempt of firstOfAccounts(attempts, partiesOf)) {
    const parties = partiesOf(attempt);
    if (parties.some((it) => isFull(it, attempt.account))) {
      over.push(attempt);
      continue;
    }
    within.push(attempt);
    for (const { key } of parties) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      pairs.add(`${key} ${attempt.account}`);
    }
  }
  const tooMany = within.length - shares.all;
  const sizeOf = (key: string) => counts.get(key) ?? 0;
  const ending =
    tooMany > 0 ? largestPartyFirst(within, (attempt) => partySize(partiesOf(attempt), sizeOf)).slice(0, tooMany) : [];
  return [...over, ...ending];
}

/** Sorts by age, but before the others come those that are the oldest of their account at all their destinations. */
function firstOfAccounts<T extends AttemptView>(attempts: readonly T[], partiesOf: (attempt: T) => Party[]): T[] {
  const seen = new Set<string>();
  const [firsts, others]: [T[], T[]] = [[], []];
  for (const attempt of attempts.toSorted((a, b) => b.activeMs - a.activeMs)) {
    const destinations = partiesOf(attempt).filter(({ kind }) => kind === "destination");
    const pairs = destinations.map(({ key }) => `${key} ${attempt.account}`);
    (pairs.some((it) => seen.has(it)) ? others : firsts).push(attempt);
    for (const pair of pairs) seen.add(pair);
  }
  return [...firsts, ...others];
}

/** Sorts by the size of the attempt's largest party, and by age among equals. */
function largestPartyFirst<T extends AttemptView>(within: readonly T[], partySize: (attempt: T) => number): T[] {
  return within
    .map((attempt) => ({ attempt, partySize: partySize(attempt) }))
    .sort((a, b) => b.partySize - a.partySize || b.attempt.activeMs - a.attempt.activeMs)
    .map(({ attempt }) => attempt);
}

interface Party {
  key: string;
  kind: "account" | "destination";
}

/** Number of attempts of the party that has the most. */
const partySize = (parties: readonly Party[], sizeOf: (key: string) => number): number =>
  Math.max(...parties.map(({ key }) => sizeOf(key)));

/**
 * Parties that an attempt counts against: always the destination, and the account if there is one; the IP address it is
 * connected to only if it was slow at that address, or its message is sent.
 */
function partiesToCharge(attempt: AttemptView, slowAfterMs: number): Party[] {
  const { account, destination, activeAtPeerMs, isSent } = attempt;
  const peer = isSent || activeAtPeerMs > slowAfterMs ? attempt.peer : null;
  const parties: Party[] = [{ key: `to ${destination}`, kind: "destination" }];
  if (account !== "") parties.push({ key: `of ${account}`, kind: "account" });
  if (peer !== null) parties.push({ key: `at ${peer}`, kind: "destination" });
  return parties;
}
