/**
 * Metrics of a mail worker, sent to the owner process, which exports them. Counts are collected for `SEND_AFTER_MS`
 * after the first; gauges are read every `GAUGES_EVERY_MS`. Nothing is sent while nothing changes.
 */
import type { Metrics } from "../core/ports.ts";
import { ShortLivedMap } from "../core/short-lived.ts";
import type { Link } from "./link.ts";
import type { Count, ToOwner, ToWorker } from "./messages.ts";

/** Milliseconds between the first count and the message that contains it. */
const SEND_AFTER_MS = 50;
const GAUGES_EVERY_MS = 500;

export interface WorkerMetrics extends Metrics {
  /** Sends the metrics that have not been sent yet, and stops the timers. */
  close(): void;
}

export function workerMetrics(link: Link<ToOwner, ToWorker>): WorkerMetrics {
  const counts = new ShortLivedMap<string, Count>();
  const readings = new Map<string, () => number>();
  const sent = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  const send = () => {
    timer = null;
    const gauges: [string, number][] = [];
    for (const [name, read] of readings) {
      const value = read();
      if (value !== sent.get(name)) gauges.push([name, value]);
      sent.set(name, value);
    }
    if (counts.size > 0 || gauges.length > 0) link.send({ kind: "counts", counts: [...counts.values()], gauges });
    counts.clear();
  };
  const reading = setInterval(send, GAUGES_EVERY_MS).unref();
  return {
    count(name, labels = {}, by = 1) {
      const key = seriesKey(name, labels);
      const known = counts.get(key);
      if (known === undefined) counts.set(key, [name, labels, by]);
      else known[2] += by;
      timer ??= setTimeout(send, SEND_AFTER_MS).unref();
    },
    gauge: (name, read) => void readings.set(name, read),
    close() {
      clearInterval(reading);
      if (timer !== null) clearTimeout(timer);
      send();
    },
  };
}

function seriesKey(name: string, labels: Record<string, string>): string {
  let key = name;
  for (const label in labels) key += `\0${label}\0${labels[label]}`;
  return key;
}
