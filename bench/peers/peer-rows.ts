/** Rows of the table of peers, and the cells in which each is measured. Pure functions. */
import type { ForwardCase } from "../forward/forward-case.ts";

export const peerRows = [
  "cut-through",
  "spool",
  "ceiling",
  "postfix",
  "haraka",
  "spool-deferred",
  "checks",
  "postfix-checks",
  "sealed",
  "tls",
  "postfix-tls",
  "default",
  "postfix-default",
  "haraka-default",
] as const;
export type PeerRow = (typeof peerRows)[number];

interface RowFacts {
  title: string;
  /**
   * Row to compare with: the table also shows the difference from its processor time, e.g. `(+0.66)`. A row with
   * `onTopOf` is measured at 20 sessions only.
   */
  onTopOf?: PeerRow;
  /** Whether the mail is that of the default mix: many aliases and senders. */
  isMix?: boolean;
  /** Whether sender and destination use TLS. */
  isSecure?: boolean;
}

export const rowFacts: Readonly<Record<PeerRow, RowFacts>> = {
  "cut-through": { title: "Kauke, cut-through" },
  spool: { title: "Kauke, spool-everything (on disk before it is answered)" },
  ceiling: { title: "Ceiling relay (forwards and signs, nothing else)" },
  postfix: { title: "Postfix + OpenDKIM + postsrsd" },
  haraka: { title: "Haraka forward + DKIM + SRS" },
  "spool-deferred": {
    title: "Kauke, spool-everything, destination defers first (tried twice)",
    onTopOf: "spool",
  },
  checks: { title: "Kauke + SPF, DKIM, DMARC and ARC checked", onTopOf: "cut-through" },
  "postfix-checks": {
    title: "Postfix, second OpenDKIM checks DKIM (no SPF, DMARC, ARC)",
    onTopOf: "postfix",
  },
  sealed: { title: "Kauke + checked + ARC sealed", onTopOf: "checks" },
  tls: { title: "Kauke, TLS on both sides", onTopOf: "cut-through", isSecure: true },
  "postfix-tls": { title: "Postfix, TLS on both sides", onTopOf: "postfix", isSecure: true },
  default: {
    title: "Kauke, default mix: many aliases and senders, checks, TLS on both sides",
    onTopOf: "cut-through",
    isMix: true,
    isSecure: true,
  },
  "postfix-default": {
    title: "Postfix, default mix (checks DKIM only: no SPF, DMARC, ARC; no reply addresses)",
    onTopOf: "postfix",
    isMix: true,
    isSecure: true,
  },
  "haraka-default": {
    title: "Haraka, default mix (checks DKIM only: no SPF, DMARC, ARC; no reply addresses; aliases in memory)",
    onTopOf: "haraka",
    isMix: true,
    isSecure: true,
  },
};

export const isPostfix = (row: PeerRow) => row.startsWith("postfix");
export const isHaraka = (row: PeerRow) => row.startsWith("haraka");
/** Whether a row is another program than Kauke. */
export const isPeer = (row: PeerRow) => isPostfix(row) || isHaraka(row) || row === "ceiling";

export interface CellOptions {
  sizes: readonly number[];
  sessions: readonly number[];
  /** Messages per measurement; `null` chooses by size and number of sessions. */
  count: number | null;
  isQuick: boolean;
}

export function casesOf({ sizes, sessions, count, isQuick }: CellOptions): ForwardCase[] {
  return sizes.flatMap((sizeBytes) =>
    sessions.map((sessionCount) => ({
      sizeBytes,
      sessions: sessionCount,
      count: count ?? (isQuick ? Math.max(10, sessionCount) : usualCount(sizeBytes, sessionCount)),
    })),
  );
}

/**
 * Messages per measurement: limited because Haraka takes 45 ms per message of a single session, and an alias may have
 * 1000 messages in the spool.
 */
function usualCount(sizeBytes: number, sessions: number): number {
  if (sizeBytes > 131_072) return sessions === 1 ? 40 : 120;
  if (sessions === 1) return 200;
  return sizeBytes > 8192 ? 500 : 800;
}

const quickRows: readonly PeerRow[] = ["cut-through", "checks", "ceiling"];
const QUICK_TIMES = 3;

/**
 * Whether the measurement of a row would last half a second with the usual number of messages. Such rows get several
 * times as many, and are measured twice in a round, the second time in reverse order: they are compared with each
 * other, and the speed of a virtual machine changes within seconds.
 */
export const isQuick = (row: PeerRow) => quickRows.includes(row);

/** @returns number of messages in one measurement of a row */
export function countFor(row: PeerRow, testCase: ForwardCase, { count, isQuick: isSmokeTest }: CellOptions): number {
  return isQuick(row) && count === null && !isSmokeTest ? testCase.count * QUICK_TIMES : testCase.count;
}

export const isRaced = (row: PeerRow, { sessions }: ForwardCase) =>
  rowFacts[row].onTopOf === undefined || sessions === 20;

/** Rotates the order by round, so that no system always runs first. */
export function rotated<Item>(items: readonly Item[], round: number): Item[] {
  const from = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
