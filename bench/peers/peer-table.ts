/** Formats the tables of peers as Markdown. Pure functions. */

import { median, sessionsText, sizeText } from "../table.ts";
import { isPeer, type PeerRow, rowFacts } from "./peer-rows.ts";

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
  results: readonly PeerResult[];
}

export function peerMarkdown({ header, rows, results }: PeerReport): string {
  const sizes = [...new Set(results.map((result) => result.sizeBytes))];
  const sessions = [...new Set(results.map((result) => result.sessions))];
  const raced = rows.filter((row) => rowFacts[row].onTopOf === undefined);
  const onTop = rows.filter((row) => rowFacts[row].onTopOf !== undefined);
  const tables = sizes.map((size) =>
    tableOf(`Forwarding, ${sizeText(size)}`, sessions.map(sessionsText), raced, (row) =>
      sessions.map((count) => cell(results, { row, sizeBytes: size, sessions: count })),
    ),
  );
  if (onTop.length > 0 && sessions.includes(20)) {
    const both = rows.filter((row) => onTop.includes(row) || raced.includes(row));
    tables.push(
      tableOf("On top, 20 sessions", sizes.map(sizeText), both, (row) =>
        sizes.map((size) => cell(results, { row, sizeBytes: size, sessions: 20 })),
      ),
    );
  }
  return [...header.map((line) => `- ${line}`), "", legend, "", tables.join("\n\n"), ""].join("\n");
}

const legend =
  "Each cell: CPU seconds per 1000 messages, over all processes of the system; messages per second; for a peer, its CPU divided " +
  "by that of Kauke (cut-through, then spool-everything; or Kauke's row of the same kind); for an added feature, the difference.";

function tableOf(
  title: string,
  columns: readonly string[],
  rows: readonly PeerRow[],
  cells: (row: PeerRow) => readonly string[],
): string {
  const lines = rows.map((row) => `| ${[rowFacts[row].title, ...cells(row)].join(" | ")} |`);
  return [`| ${[title, ...columns].join(" | ")} |`, `|---|${"---:|".repeat(columns.length)}`, ...lines].join("\n");
}

interface CellOf {
  row: PeerRow;
  sizeBytes: number;
  sessions: number;
}

function cell(results: readonly PeerResult[], wanted: CellOf): string {
  const cpu = cpuOf(results, wanted);
  if (cpu === null) return "";
  const { onTopOf, against } = rowFacts[wanted.row];
  const base = onTopOf === undefined ? null : cpuOf(results, { ...wanted, row: onTopOf });
  const rates = found(results, wanted)!.rounds.flatMap(({ messagesPerSecond: rate }) => (rate === null ? [] : [rate]));
  const ratios = against.map((row) => cpuOf(results, { ...wanted, row })).filter((ours) => ours !== null);
  return [
    `${cpu.toFixed(2)}${base === null ? "" : ` (${cpu >= base ? "+" : "-"}${Math.abs(cpu - base).toFixed(2)})`}`,
    ...(rates.length === 0 ? [] : [`${median(rates).toFixed(0)}/s`]),
    ...(isPeer(wanted.row) && ratios.length > 0
      ? [ratios.map((ours) => `${(cpu / ours).toFixed(1)}x`).join(" and ")]
      : []),
  ].join("; ");
}

function found(results: readonly PeerResult[], { row, sizeBytes, sessions }: CellOf): PeerResult | undefined {
  return results.find((result) => result.row === row && result.sizeBytes === sizeBytes && result.sessions === sessions);
}

function cpuOf(results: readonly PeerResult[], wanted: CellOf): number | null {
  const result = found(results, wanted);
  return result === undefined || result.rounds.length === 0 ? null : median(result.rounds.map((one) => one.cpuPer1000));
}
