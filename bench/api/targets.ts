/** Targets of the API's benchmark as data, the most milliseconds of each. Pure. */

const targets = {
  /** CPU of the server for one list of 1,000 aliases. */
  listCpu: 30,
  /** 99th percentile of reads with a pause between them. */
  pausedReadsP99: 20,
  /** 99th percentile of reads at OPEN_RATE. */
  openReadsP99: 20,
} as const;

/** Requests per second for which `openReadsP99` applies. */
export const OPEN_RATE = 1000;

type TargetName = keyof typeof targets;

/** @param valueMs the measured value @returns e.g. `{ target: "p99 <= 20 ms", isMet: true }` */
export function judge({ name, what, valueMs }: { name: TargetName; what?: string; valueMs: number }) {
  const most = targets[name];
  return { target: `${what === undefined ? "" : `${what} `}<= ${most} ms`, isMet: valueMs <= most };
}
