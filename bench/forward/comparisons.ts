/**
 * Comparisons between rows of one run, most of them with a target: CPU seconds per 1000 messages of one row divided by
 * those of another, or less those of another. Pure functions.
 */
import type { PeerRow } from "../peers/peer-rows.ts";

interface Target {
  sign: "<=" | ">=";
  /** Limit for messages up to 50 KiB. */
  small: number;
  /** Limit for messages up to 1 MiB; `null`: no target. */
  large: number | null;
}

export interface PeerComparison {
  title: string;
  kind: "ratio" | "difference" | "amount";
  of: PeerRow;
  /** Row by which `of` is divided (`ratio`) or which is subtracted from it (`difference`); absent for `amount`. */
  to?: PeerRow;
  target?: Target;
}

export interface Compared {
  /** E.g. `1.71x`, `+0.66`, `5.06`. */
  value: string;
  /** E.g. `<= 1.6x`; `null` without a target for this size and number of sessions. */
  target: string | null;
  isMet: boolean | null;
}

const ratio = (of: PeerRow, to: PeerRow, title: string, target?: Target): PeerComparison => ({
  title,
  kind: "ratio",
  of,
  to,
  ...(target === undefined ? {} : { target }),
});

export const comparisons: readonly PeerComparison[] = [
  ratio("cut-through", "ceiling", "cut-through / ceiling relay", { sign: "<=", small: 1.6, large: 1.2 }),
  ratio("postfix", "cut-through", "Postfix / cut-through", { sign: ">=", small: 6, large: 5 }),
  ratio("haraka", "cut-through", "Haraka / cut-through", { sign: ">=", small: 3, large: 8 }),
  ratio("spool", "ceiling", "spool-everything / ceiling relay"),
  ratio("postfix", "spool", "Postfix / spool-everything", { sign: ">=", small: 3, large: 3 }),
  ratio("haraka", "spool", "Haraka / spool-everything"),
  {
    title: "destination defers first",
    kind: "amount",
    of: "spool-deferred",
    target: { sign: "<=", small: 2.5, large: null },
  },
  {
    title: "checks - cut-through",
    kind: "difference",
    of: "checks",
    to: "cut-through",
    target: { sign: "<=", small: 0.35, large: 1 },
  },
  ratio("postfix-checks", "checks", "Postfix / Kauke, checks"),
  ratio("postfix-tls", "tls", "Postfix / Kauke, TLS"),
  ratio("default", "ceiling", "default mix / ceiling relay"),
  ratio("postfix-default", "default", "Postfix / Kauke, default mix", { sign: ">=", small: 3.5, large: 3.5 }),
  ratio("haraka-default", "default", "Haraka / Kauke, default mix"),
];

/** Sessions from which on targets apply. */
const SESSIONS_MIN = 20;

/** Figures of the rows in one cell; `null` for a row that was not measured. */
export interface CellFigures {
  /** CPU seconds per 1000 messages. */
  cpuOf(row: PeerRow): number | null;
}

/**
 * @returns `null` if a row was not measured
 */
export function compare(
  { kind, of, to, target }: PeerComparison,
  { cpuOf }: CellFigures,
  { sizeBytes, sessions }: { sizeBytes: number; sessions: number },
): Compared | null {
  const left = cpuOf(of);
  const right = to === undefined ? 0 : cpuOf(to);
  if (left === null || right === null) return null;
  const value = kind === "ratio" ? left / right : left - right;
  const limit = sessions < SESSIONS_MIN ? null : limitFor(target, sizeBytes);
  const isMet = target === undefined || limit === null ? null : target.sign === "<=" ? value <= limit : value >= limit;
  const sign = kind === "difference" && value >= 0 ? "+" : "";
  return {
    value: `${sign}${value.toFixed(2)}${unitOf[kind]}`,
    target: target === undefined || limit === null ? null : `${target.sign} ${limit}${unitOf[kind]}`,
    isMet,
  };
}

const unitOf = { ratio: "x", difference: "", amount: "" };

function limitFor(target: Target | undefined, sizeBytes: number): number | null {
  if (target === undefined || sizeBytes > 1_048_576) return null;
  return sizeBytes <= 51_200 ? target.small : target.large;
}

/** @returns e.g. `1.71x (<= 1.6x, missed)` */
export function comparedText({ value, target, isMet }: Compared): string {
  return target === null ? value : `${value} (${target}, ${isMet === true ? "met" : "missed"})`;
}
