/** Decodes hexadecimal digits inside text, such as tokens in links, at both alignments. */
import type { Inner } from "../inner.ts";

/** Matches runs of limited length: V8 overflows its stack on a match of megabytes. */
const hexRuns = (octetsMin: number) => new RegExp(`[0-9a-f]{${2 * octetsMin},60000}`, "gi");
/** Number of runs that are joined and searched in one step. */
const RUNS_AT_ONCE = 20_000;

/**
 * Yields the decoded runs as views (searched, not unpacked), with NULs around each.
 * @param octetsMin length of the shortest address; shorter runs are not decoded
 */
export function* findHex(text: string, octetsMin: number): Generator<Inner> {
  let runs: string[] = [];
  for (const [run] of text.matchAll(hexRuns(octetsMin))) {
    if (runs.push(run) < RUNS_AT_ONCE) continue;
    yield* decodeRuns(runs);
    runs = [];
  }
  if (runs.length > 0) yield* decodeRuns(runs);
}

function* decodeRuns(runs: readonly string[]): Generator<Inner> {
  for (const shift of [0, 1]) {
    const even = runs.map((run) => run.slice(shift, run.length - ((run.length - shift) % 2)));
    yield { bytes: Buffer.from(`00${even.join("00")}00`, "hex"), isView: true };
  }
}
