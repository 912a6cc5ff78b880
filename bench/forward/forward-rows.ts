/** Rows of the result table for one case: medians, ratios to the peer, and targets. Pure functions. */

import { median, type Row, sessionsText, sizeText } from "../table.ts";
import type { ForwardSystem } from "./forward-system.ts";

export interface ForwardCase {
  sizeBytes: number;
  sessions: number;
  /** Messages per measurement. */
  count: number;
}

export interface Measured {
  cpuPer1000: number;
  messagesPerSecond: number;
  /** Peak memory. */
  rssMib: number;
  privateMib: number;
}

type Results = ReadonlyMap<ForwardSystem, readonly Measured[]>;

export function forwardRows(testCase: ForwardCase, results: Results): Row[] {
  const systems = [...results.keys()];
  const cpuOf = (variant: ForwardSystem["variant"]) => {
    const system = systems.find((one) => one.variant === variant);
    return system === undefined ? null : median(results.get(system)!.map((one) => one.cpuPer1000));
  };
  const peer = systems.find(({ variant }) => variant === "peer");
  return systems.map((system) => {
    const of = (figure: keyof Measured) => median(results.get(system)!.map((result) => result[figure]));
    const cpu = of("cpuPer1000");
    const ratio = (cpuOf("peer") ?? 0) / cpu;
    return {
      bench: "forward",
      what: `${sizeText(testCase.sizeBytes)}, ${sessionsText(testCase.sessions)}: ${system.name}`,
      measured:
        `${cpu.toFixed(2)} CPU-s/1000, ${of("messagesPerSecond").toFixed(0)} msg/s, ` +
        `${of("rssMib").toFixed(0)} MiB (private ${of("privateMib").toFixed(0)})`,
      ...(peer === undefined || system === peer ? {} : { compared: `${ratio.toFixed(1)}x of it for ${peer.name}` }),
      ...(testCase.sessions === 20 ? targetOf(system.variant, { ...testCase, cpu, signedCpu: cpuOf("signed") }) : {}),
    };
  });
}

function targetOf(
  variant: ForwardSystem["variant"],
  { sizeBytes, cpu, signedCpu }: { sizeBytes: number; cpu: number; signedCpu: number | null },
): Pick<Row, "target" | "isMet"> {
  if (variant === "peer" || sizeBytes > 1_048_576) return {};
  if (variant === "verified") {
    if (signedCpu === null || sizeBytes > 51_200) return {};
    return { target: "<= 1 CPU-s/1000 more than without checks", isMet: cpu - signedCpu <= 1 };
  }
  const limit = sizeBytes <= 51_200 ? 0.6 : 4;
  return { target: `<= ${limit} CPU-s/1000`, isMet: cpu <= limit };
}
