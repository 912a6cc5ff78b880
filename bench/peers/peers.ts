/**
 * Runs the whole comparison: the variants of Kauke, Postfix with OpenDKIM and postsrsd, Haraka; every message size and
 * number of sessions, in turns, round by round. Writes Markdown and JSON below bench/.state.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { machine, programVersions } from "../machine.ts";
import { chooseLoad } from "../mail-load.ts";
import { mixSize } from "../mix/mix-names.ts";
import type { BenchOptions } from "../options.ts";
import { progress, type Row, sessionsText, sizeText } from "../table.ts";
import { missingHaraka } from "./haraka.ts";
import { casesOf, countFor, isHaraka, isPostfix, isQuick, isRaced, type PeerRow, rotated } from "./peer-rows.ts";
import { type PeerSystem, startPeerSystem } from "./peer-systems.ts";
import { type PeerReport, type PeerResult, peerMarkdown } from "./peer-table.ts";
import { missingPostfix } from "./postfix.ts";

const stateFolder = join(import.meta.dirname, "../.state");

export async function benchPeers(options: BenchOptions): Promise<Row[]> {
  const startedAt = performance.now();
  const missing = missingPeers(options);
  const rows = options.rows.filter((row) => !(isPostfix(row) && missing.postfix) && !(isHaraka(row) && missing.haraka));
  const before = machine();
  const load = chooseLoad();
  const systems: PeerSystem[] = [];
  try {
    for (const row of rows) {
      progress(`peers: starting ${row}`);
      systems.push(await startPeerSystem(row, load));
    }
    for (const system of systems) {
      const cases = casesOf(options).filter((testCase) => isRaced(system.row, testCase));
      await system.warmUp(cases, options.isQuick ? 20 : null);
    }
    const { results, rounds } = await raceAll(options, systems, startedAt);
    const minutes = (performance.now() - startedAt) / 60_000;
    const header = [
      `before: ${before}`,
      `after: ${machine()}`,
      `${programVersions().join(", ")}; load from ${load.name}`,
      `${minutes.toFixed(1)} minutes, ${rounds} of ${options.rounds} rounds, medians`,
      ...(options.isQuick ? ["--quick: a smoke test, its figures mean nothing"] : []),
      ...Object.values(missing).filter((why) => why !== null),
      `seen to do: ${systems.map(({ row, seen }) => `${row}: ${seen}`).join("; ")}`,
      ...mixLines(systems),
    ];
    const workers = new Map(systems.map((system) => [system.row, system.workers]));
    const file = write({ header, rows, workers, results }, options);
    return [
      { bench: "peers", what: `${results.length} cells`, measured: `${minutes.toFixed(1)} minutes`, compared: file },
    ];
  } finally {
    for (const system of systems) await system.close();
    await removeDataDirs();
  }
}

/** Says what was drawn, which is the same for every system with the same number of messages. */
function mixLines(systems: readonly PeerSystem[]): string[] {
  const mix = systems.find((system) => system.mix !== null)?.mix ?? null;
  if (mix === null || mix.messages === 0) return [];
  const percent = (count: number) => `${((count / mix.messages) * 100).toFixed(0)} %`;
  const { aliases, accounts, senders, senderDomains } = mixSize;
  const totals = [aliases, accounts, senders, senderDomains].map((count) => count.toLocaleString("en"));
  return [
    `many aliases and senders: ${totals[0]} aliases of ${totals[1]} accounts, ${totals[2]} senders in ${totals[3]} domains; ` +
      `${percent(mix.cold)} of the messages to an alias never asked for before, ${percent(mix.newSenders)} from a sender new to the alias`,
  ];
}

function missingPeers(options: BenchOptions): Record<"postfix" | "haraka", string | null> {
  const wants = (test: (row: PeerRow) => boolean) => options.rows.some(test);
  const postfix = wants(isPostfix) ? missingPostfix({ ...options, dkim: true, srs: true }) : null;
  const haraka = wants(isHaraka) ? missingHaraka(options) : null;
  for (const why of [postfix, haraka]) if (why !== null) progress(`peers: left out: ${why}`);
  return { postfix, haraka };
}

/** Runs whole rounds only: none is started that would probably not end in time, judging by the previous one. */
async function raceAll(options: BenchOptions, systems: readonly PeerSystem[], startedAt: number) {
  const cases = casesOf(options);
  const results = new Map<string, PeerResult>();
  const endsAt = startedAt + options.minutes * 60_000;
  let rounds = 0;
  let lastMs = 0;
  for (; rounds < options.rounds && (rounds === 0 || performance.now() + lastMs <= endsAt); rounds++) {
    const roundAt = performance.now();
    for (const [index, testCase] of cases.entries()) {
      progress(`peers: round ${rounds + 1}, ${sizeText(testCase.sizeBytes)}, ${sessionsText(testCase.sessions)}`);
      const racing = rotated(
        systems.filter(({ row }) => isRaced(row, testCase)),
        rounds + index,
      );
      for (const system of [...racing, ...racing.filter(({ row }) => isQuick(row)).reverse()]) {
        const { row } = system;
        const key = `${row} ${testCase.sizeBytes} ${testCase.sessions}`;
        const result = results.get(key) ?? { row, ...testCase, rounds: [] };
        result.rounds.push(await system.measure({ ...testCase, count: countFor(row, testCase, options) }));
        results.set(key, result);
      }
    }
    lastMs = performance.now() - roundAt;
  }
  return { results: [...results.values()], rounds };
}

function write(report: PeerReport, options: BenchOptions): string {
  mkdirSync(stateFolder, { recursive: true });
  const name = join(stateFolder, `peers-${new Date().toISOString().slice(0, 16).replace(":", "")}`);
  const markdown = peerMarkdown(report);
  writeFileSync(`${name}.md`, markdown);
  const workers = Object.fromEntries(report.workers);
  writeFileSync(`${name}.json`, `${JSON.stringify({ ...report, workers, options }, null, 2)}\n`);
  console.log(`\n${markdown}`);
  return `${name}.md and .json`;
}
