/** Rows of the table of peers, and the cells in which each is measured. Pure functions. */
import type { ForwardCase } from "../forward/forward-rows.ts";

export const peerRows = [
  "cut-through",
  "spool",
  "postfix",
  "haraka",
  "spool-deferred",
  "checks",
  "postfix-checks",
  "sealed",
  "tls",
  "postfix-tls",
] as const;
export type PeerRow = (typeof peerRows)[number];

interface RowFacts {
  title: string;
  /** Row to which the result is shown as an addition; such a row is measured at 20 sessions only. */
  onTopOf?: PeerRow;
  /** For a peer: rows of Kauke by whose CPU its own is divided. */
  against: readonly PeerRow[];
}

export const rowFacts: Readonly<Record<PeerRow, RowFacts>> = {
  "cut-through": { title: "Kauke, cut-through", against: [] },
  spool: { title: "Kauke, spool-everything (on disk before it is answered)", against: [] },
  postfix: { title: "Postfix + OpenDKIM + postsrsd", against: ["cut-through", "spool"] },
  haraka: { title: "Haraka forward + DKIM + SRS", against: ["cut-through", "spool"] },
  "spool-deferred": {
    title: "Kauke, spool-everything, destination defers first (tried twice)",
    onTopOf: "spool",
    against: [],
  },
  checks: { title: "Kauke + SPF, DKIM, DMARC and ARC checked", onTopOf: "cut-through", against: [] },
  "postfix-checks": {
    title: "Postfix, second OpenDKIM checks DKIM (no SPF, DMARC, ARC)",
    onTopOf: "postfix",
    against: ["checks"],
  },
  sealed: { title: "Kauke + checked + ARC sealed", onTopOf: "checks", against: [] },
  tls: { title: "Kauke, TLS on both sides", onTopOf: "cut-through", against: [] },
  "postfix-tls": { title: "Postfix, TLS on both sides", onTopOf: "postfix", against: ["tls"] },
};

/** Whether a row is another program than Kauke. */
export const isPeer = (row: PeerRow) => row.startsWith("postfix") || row === "haraka";

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

/** Messages per measurement of a row: fewer if mail is deferred, since all must be accepted before the first retry. */
export function countFor(row: PeerRow, { count, sizeBytes }: ForwardCase): number {
  return row === "spool-deferred" ? Math.min(count, sizeBytes > 131_072 ? 40 : 200) : count;
}

export const isRaced = (row: PeerRow, { sessions }: ForwardCase) =>
  rowFacts[row].onTopOf === undefined || sessions === 20;

/** Rotates the order by round, so that no system always runs first. */
export function rotated<Item>(items: readonly Item[], round: number): Item[] {
  const from = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
