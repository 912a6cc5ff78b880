/** Formats the tables of peers as Markdown. Pure functions. */

import { compare, comparedText, comparisons, type PeerComparison } from "../forward/comparisons.ts";
import { median, sessionsText, sizeText, workersText } from "../table.ts";
import { type PeerRow, rowFacts } from "./peer-rows.ts";

export interface PeerMeasured {
  /** CPU seconds per 1000 messages, over all processes of the system. */
  cpuPer1000: number;
  /** Rate; `null` where it is meaningless because deliveries wait for a retry. */
  messagesPerSecond: number | null;
  /** Peak memory. */
  rssMib: number;
  privateMib: number;
}

export interface PeerResult {
  row: PeerRow;
  sizeBytes: number;
  sessions: number;
  /** Messages per round. */
  count: number;
  /** One measurement per round. */
  rounds: PeerMeasured[];
}

export interface PeerReport {
  /** Lines of the report above its tables. */
  header: readonly string[];
  rows: readonly PeerRow[];
  /** Number of processes that carry mail; `null` for a program that starts one for each task. */
  workers: ReadonlyMap<PeerRow, number | null>;
  results: readonly PeerResult[];
}

export function peerMarkdown({ header, rows, workers, results }: PeerReport): string {
  const sizes = [...new Set(results.map((result) => result.sizeBytes))];
  const sessions = [...new Set(results.map((result) => result.sessions))];
  const raced = rows.filter((row) => !isOnTop(row));
  const onTop = rows.filter(isOnTop);
  const tables = sizes.map((sizeBytes) => {
    const columns = sessions.map((count) => ({ sizeBytes, sessions: count }));
    const about = comparisons.filter(({ of }) => !isOnTop(of));
    const head = [`Forwarding, ${sizeText(sizeBytes)}`, ...sessions.map(sessionsText)];
    return tableOf({ head, rows: raced, about, columns }, results, workers);
  });
  if (onTop.length > 0 && sessions.includes(20)) {
    const columns = sizes.map((sizeBytes) => ({ sizeBytes, sessions: 20 }));
    const about = comparisons.filter(({ of }) => isOnTop(of));
    const head = ["On top, 20 sessions", ...sizes.map(sizeText)];
    tables.push(tableOf({ head, rows: [...rows], about, columns }, results, workers));
  }
  return [...header.map((line) => `- ${line}`), "", legend, "", tables.join("\n\n"), ""].join("\n");
}

const isOnTop = (row: PeerRow) => rowFacts[row].onTopOf !== undefined;

const legend =
  "Each cell: CPU seconds per 1000 messages, over all processes of the system; for an added feature, the difference; messages " +
  "per second. Workers: processes that carry mail; `many`: one for each task. Below the systems: their CPU compared, each with " +
  "its target, if there is one.";

interface PeerTable {
  head: readonly string[];
  rows: readonly PeerRow[];
  about: readonly PeerComparison[];
  columns: readonly Omit<CellOf, "row">[];
}

function tableOf(
  { head: [title = "", ...columnTitles], rows, about, columns }: PeerTable,
  results: readonly PeerResult[],
  workers: PeerReport["workers"],
): string {
  const systems = rows.map((row) => [
    rowFacts[row].title,
    workersText(workers.get(row)),
    ...columns.map((column) => cell(results, { ...column, row })),
  ]);
  const compared = about
    .map((comparison) => [
      comparison.title,
      "",
      ...columns.map((column) => {
        const figures = {
          cpuOf: (row: PeerRow) => cpuOf(results, { ...column, row }),
        };
        const found = compare(comparison, figures, column);
        return found === null ? "" : comparedText(found);
      }),
    ])
    .filter((cells) => cells.slice(2).some((text) => text !== ""));
  const lines = [...systems, ...compared].map((cells) => `| ${cells.join(" | ")} |`);
  const head = `| ${[title, "Workers", ...columnTitles].join(" | ")} |`;
  return [head, `|---|---:|${"---:|".repeat(columns.length)}`, ...lines].join("\n");
}

interface CellOf {
  row: PeerRow;
  sizeBytes: number;
  sessions: number;
}

function cell(results: readonly PeerResult[], wanted: CellOf): string {
  const cpu = cpuOf(results, wanted);
  if (cpu === null) return "";
  const { onTopOf } = rowFacts[wanted.row];
  const base = onTopOf === undefined ? null : cpuOf(results, { ...wanted, row: onTopOf });
  const rates = found(results, wanted)!.rounds.flatMap(({ messagesPerSecond: rate }) => (rate === null ? [] : [rate]));
  return [
    `${cpu.toFixed(2)}${base === null ? "" : ` (${cpu >= base ? "+" : "-"}${Math.abs(cpu - base).toFixed(2)})`}`,
    ...(rates.length === 0 ? [] : [`${median(rates).toFixed(0)}/s`]),
  ].join("; ");
}

function found(results: readonly PeerResult[], { row, sizeBytes, sessions }: CellOf): PeerResult | undefined {
  return results.find((result) => result.row === row && result.sizeBytes === sizeBytes && result.sessions === sessions);
}

function cpuOf(results: readonly PeerResult[], wanted: CellOf): number | null {
  const result = found(results, wanted);
  return result === undefined || result.rounds.length === 0 ? null : median(result.rounds.map((one) => one.cpuPer1000));
}
