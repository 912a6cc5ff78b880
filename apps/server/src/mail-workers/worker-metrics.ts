/** Metrics of a mail worker, collected and sent to the owner, which adds them to its own. */
import type { Metrics } from "../core/ports.ts";
import type { Link } from "./link.ts";
import type { Count, ToOwner, ToWorker } from "./messages.ts";

const EVERY_MS = 500;

export interface WorkerMetrics extends Metrics {
  /** Sends what has not been sent yet. */
  close(): void;
}

export function workerMetrics(link: Link<ToOwner, ToWorker>): WorkerMetrics {
  const counts = new Map<string, Count>();
  const readings = new Map<string, () => number>();
  const send = () => {
    const gauges = [...readings].map(([name, read]): [string, number] => [name, read()]);
    link.send({ kind: "counts", counts: [...counts.values()], gauges });
    counts.clear();
  };
  const timer = setInterval(send, EVERY_MS).unref();
  return {
    count(name, labels = {}, by = 1) {
      const key = seriesKey(name, labels);
      const known = counts.get(key);
      if (known === undefined) counts.set(key, [name, labels, by]);
      else known[2] += by;
    },
    gauge: (name, read) => void readings.set(name, read),
    close() {
      clearInterval(timer);
      send();
    },
  };
}

function seriesKey(name: string, labels: Record<string, string>): string {
  let key = name;
  for (const label in labels) key += `\0${label}\0${labels[label]}`;
  return key;
}
