/**
 * Compares forwarding by Kauke and Postfix: the same messages through each in turns, in one run, on one machine. CPU
 * seconds per 1000 messages are the reliable figure; rates share the machine with load generator and sink.
 */
import { removeDataDirs } from "@kauke/testkit/server-process";
import { startCeiling } from "../ceiling/ceiling.ts";
import { freeBenchPort } from "../free-port.ts";
import type { MailLoad } from "../mail-job.ts";
import { chooseLoad } from "../mail-load.ts";
import type { BenchOptions } from "../options.ts";
import { missingPostfix, startPostfix } from "../peers/postfix.ts";
import { measureSpool } from "../spool.ts";
import { median, progress, type Row, sessionsText, sizeText } from "../table.ts";
import type { ForwardCase } from "./forward-case.ts";
import { forwardRows, type Measured } from "./forward-rows.ts";
import { checkSample } from "./forward-sample.ts";
import { type DurablePeer, type ForwardSystem, type OurSystem, startOurs } from "./forward-system.ts";
import { measure, pass } from "./measure-forward.ts";

export async function benchForward(options: BenchOptions): Promise<Row[]> {
  // Installed first, because Postfix also contains the load generator.
  const missing = missingPostfix(options);
  if (missing !== null) progress(`Postfix is left out, Kauke is measured alone: ${missing}`);
  const load = chooseLoad();
  const sinkPort = await freeBenchPort();
  const systems: ForwardSystem[] = [];
  try {
    const ours: OurSystem[] = [];
    for (const variant of options.ours) ours.push(await startOurs(variant, { sinkPort }));
    systems.push(...ours, await startCeiling({ sinkPort }));
    if (missing === null) systems.push(await startPostfix({ ...options, sinkPort }));
    progress(`forward: load from ${load.name}; CPU by ${ours[0]?.meter.method}`);
    for (const system of systems) system.name = await checkSample(system, sinkPort);
    const { rows, durablePeer } = await raceAll(options, { systems, load, sinkPort });
    const spooling = ours.find((system) => system.variant === "signed") ?? ours[0]!;
    const spooled = await measureSpool(options, { ours: spooling, load, sinkPort, durablePeer });
    const left: Row[] = missing === null ? [] : [{ bench: "forward", what: "postfix", measured: missing }];
    return [...left, ...rows, ...spooled];
  } finally {
    for (const system of systems) await system.close();
    await removeDataDirs();
  }
}

interface Race {
  systems: readonly ForwardSystem[];
  load: MailLoad;
  sinkPort: number;
}

async function raceAll(options: BenchOptions, { systems, load, sinkPort }: Race) {
  const rows: Row[] = [];
  const peer = systems.find((system) => system.variant === "peer");
  const durablePeer: DurablePeer | null = peer === undefined ? null : { name: peer.name, cpuBySize: new Map() };
  const sink = await load.startSink(sinkPort);
  const through = { load, sink };
  try {
    for (const system of systems) await pass(system, through, { sizeBytes: 4096, sessions: 20, count: system.warmUp });
    for (const testCase of casesOf(options)) {
      // The cost of checks on arrival does not depend on the number of sessions.
      const racing = systems.filter(({ variant }) => variant !== "verified" || testCase.sessions === 20);
      const results = new Map(racing.map((system) => [system, [] as Measured[]]));
      for (let round = 1; round <= options.rounds; round++) {
        progress(
          `forward: ${sizeText(testCase.sizeBytes)}, ${sessionsText(testCase.sessions)}, round ${round} of ${options.rounds}`,
        );
        for (const [system, measured] of results) measured.push(await measure(system, through, testCase));
      }
      rows.push(...forwardRows(testCase, results, options.dkim && options.srs));
      if (peer !== undefined && testCase.sessions === 20)
        durablePeer?.cpuBySize.set(testCase.sizeBytes, median(results.get(peer)!.map((result) => result.cpuPer1000)));
    }
  } finally {
    await sink.close();
  }
  return { rows, durablePeer };
}

function casesOf({ sizes, sessions, count }: BenchOptions): ForwardCase[] {
  const usual = (sizeBytes: number) => (sizeBytes <= 8192 ? 1000 : sizeBytes <= 131_072 ? 500 : 60);
  return sizes.flatMap((sizeBytes) =>
    sessions.map((sessionCount) => ({
      sizeBytes,
      sessions: sessionCount,
      count: count ?? Math.max(usual(sizeBytes), 2 * sessionCount),
    })),
  );
}
