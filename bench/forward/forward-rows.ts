/** Rows of the result table for one case: medians, ratios to the peer, and targets. Pure functions. */

import type { PeerRow } from "../peers/peer-rows.ts";
import { median, type Row, sessionsText, sizeText } from "../table.ts";
import { compare, comparisons } from "./comparisons.ts";
import type { ForwardCase } from "./forward-case.ts";
import type { ForwardSystem } from "./forward-system.ts";

export interface Measured {
  cpuPer1000: number;
  messagesPerSecond: number;
  /** Peak memory. */
  rssMib: number;
  privateMib: number;
}

type Results = ReadonlyMap<ForwardSystem, readonly Measured[]>;

/** @param isFullPeer whether the peer is Postfix with OpenDKIM and postsrsd, for which there are targets */
export function forwardRows(testCase: ForwardCase, results: Results, isFullPeer: boolean): Row[] {
  const systems = [...results.keys()];
  const cpuOf = (variant: ForwardSystem["variant"]) => {
    const system = systems.find((one) => one.variant === variant);
    return system === undefined ? null : median(results.get(system)!.map((one) => one.cpuPer1000));
  };
  const peer = systems.find(({ variant }) => variant === "peer");
  const where = `${sizeText(testCase.sizeBytes)}, ${sessionsText(testCase.sessions)}`;
  const rows = systems.map((system) => {
    const of = (figure: keyof Measured) => median(results.get(system)!.map((result) => result[figure]));
    const cpu = of("cpuPer1000");
    const ceiling = cpuOf("ceiling");
    const isOurs = system.variant !== "peer" && system.variant !== "ceiling";
    const compared = [
      ...(ceiling === null || system.variant === "ceiling"
        ? []
        : [`${(cpu / ceiling).toFixed(2)}x of the ceiling relay`]),
      ...(peer === undefined || !isOurs ? [] : [`${((cpuOf("peer") ?? 0) / cpu).toFixed(1)}x of it for ${peer.name}`]),
    ];
    return {
      bench: "forward",
      what: `${where}: ${system.name}`,
      workers: system.workers,
      measured:
        `${cpu.toFixed(2)} CPU-s/1000, ${of("messagesPerSecond").toFixed(0)} msg/s, ` +
        `${of("rssMib").toFixed(0)} MiB (private ${of("privateMib").toFixed(0)})`,
      ...(compared.length === 0 ? {} : { compared: compared.join("; ") }),
    };
  });
  const cpuOfRow = (row: PeerRow) => {
    const variant = variantOf[row];
    return variant === undefined || (variant === "peer" && !isFullPeer) ? null : cpuOf(variant);
  };
  return [...rows, ...comparisonRows(testCase, where, cpuOfRow)];
}

/** What a row of the table of peers is called here. */
const variantOf: Partial<Record<PeerRow, ForwardSystem["variant"]>> = {
  "cut-through": "signed",
  checks: "verified",
  ceiling: "ceiling",
  postfix: "peer",
};

function comparisonRows(testCase: ForwardCase, where: string, cpuOf: (row: PeerRow) => number | null): Row[] {
  return comparisons.flatMap((comparison) => {
    const compared = compare(comparison, { cpuOf }, testCase);
    if (compared === null) return [];
    const { value, target, isMet } = compared;
    const judged = target === null || isMet === null ? {} : { target, isMet };
    return [{ bench: "forward", what: `${where}: ${comparison.title}`, measured: value, ...judged }];
  });
}
