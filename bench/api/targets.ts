/** Targets of the API's benchmark as data. Pure. */

interface Limit {
  most: number;
  unit: "ms" | "MiB";
}

export const targets = {
  /** CPU of the server for one list of 1,000 aliases. */
  listCpu: { most: 30, unit: "ms" },
  /** 99th percentile of reads with a pause between them. */
  pausedReadsP99: { most: 20, unit: "ms" },
  /** 99th percentile of reads at OPEN_RATE. */
  openReadsP99: { most: 20, unit: "ms" },
  /** The longest turn of the event loop during 32 decryptions of 1 MB at once. */
  decryptTurn: { most: 60, unit: "ms" },
  /** Memory of server and worker together during 32 decryptions of 1 MB at once. */
  decryptMemory: { most: 887, unit: "MiB" },
} as const satisfies Record<string, Limit>;

/** Requests per second for which `openReadsP99` applies. */
export const OPEN_RATE = 1000;

export type TargetName = keyof typeof targets;

/**
 * @param measured values of the targets, in their units
 * @returns e.g. `{ target: "p99 <= 20 ms", isMet: true }`
 */
export function judge(measured: readonly { name: TargetName; what?: string; value: number }[]) {
  const text = ({ name, what }: (typeof measured)[number]) =>
    `${what === undefined ? "" : `${what} `}<= ${targets[name].most} ${targets[name].unit}`;
  return {
    target: measured.map(text).join(", "),
    isMet: measured.every(({ name, value }) => value <= targets[name].most),
  };
}
