/** Counters and gauges of `metric-table.ts` as Prometheus text (exposition format 0.0.4). */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { dropRest, GatheredRequest } from "../../runtime/byte-streams.ts";
import type { Metrics } from "../../runtime/ports.ts";
import type { ListenConfig } from "../../settings/config.ts";
import { counters, gauges, type MetricKind } from "./metric-table.ts";

export interface MetricsRegistry extends Metrics {
  render(): string;
  close(): void;
}

export function createMetrics(): MetricsRegistry {
  const counts = new Map<string, Map<string, number>>();
  const readings = new Map<string, () => number>();
  const add = (name: string, series: string, by: number) => {
    const bySeries = counts.get(name) ?? new Map<string, number>();
    bySeries.set(series, (bySeries.get(series) ?? 0) + by);
    counts.set(name, bySeries);
  };
  for (const [name, kind] of Object.entries(counters)) if (kind.labels === undefined) add(name, "", 0);
  const delay = watchProcess(readings);
  return {
    count: (name, labels = {}, by = 1) => {
      const series = seriesOf(name, labels);
      if (series === null || !(by >= 0)) add("kauke_metrics_refused_total", "", 1);
      else add(name, series, by);
    },
    gauge: (name, read) => {
      const known = readings.get(name);
      if (Object.hasOwn(gauges, name)) readings.set(name, known === undefined ? read : () => known() + read());
      else add("kauke_metrics_refused_total", "", 1);
    },
    render: () => renderAll(counts, readings),
    close: () => delay.disable(),
  };
}

const labelsByCounter = new Map(
  Object.entries(counters).map(([name, { labels = {} }]) => [name, Object.entries(labels)]),
);

function seriesOf(name: string, labels: Record<string, string>): string | null {
  const allowed = labelsByCounter.get(name);
  if (allowed === undefined || Object.keys(labels).length !== allowed.length) return null;
  let series = "";
  for (const [label, values] of allowed) {
    const value = labels[label];
    if (value === undefined || !values.includes(value)) return null;
    series += `${series === "" ? "{" : ","}${label}="${value}"`;
  }
  return series === "" ? "" : `${series}}`;
}

function watchProcess(readings: Map<string, () => number>) {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  readings.set("process_resident_memory_bytes", () => process.memoryUsage.rss());
  readings.set("process_heap_bytes", () => process.memoryUsage().heapUsed);
  readings.set("process_cpu_seconds_total", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  readings.set("process_start_time_seconds", () => Math.round(performance.timeOrigin / 1000));
  readings.set("nodejs_eventloop_lag_p99_seconds", () => {
    const seconds = delay.percentile(99) / 1e9;
    delay.reset();
    return seconds;
  });
  return delay;
}

function renderAll(counts: Map<string, Map<string, number>>, readings: Map<string, () => number>): string {
  const lines: string[] = [];
  for (const [name, bySeries] of counts) {
    lines.push(...heading(name, "counter", counters[name]));
    for (const [series, value] of bySeries) lines.push(`${name}${series} ${value}`);
  }
  for (const [name, read] of readings) {
    lines.push(
      ...heading(name, name.endsWith("_total") ? "counter" : "gauge", gauges[name]),
      `${name} ${numberText(read())}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function heading(name: string, type: string, kind: MetricKind | undefined): string[] {
  return [`# HELP ${name} ${kind?.help ?? ""}`, `# TYPE ${name} ${type}`];
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : "NaN";
}

const CONNECTIONS_MAX = 64;
const IDLE_MS = 10_000;

export interface RunningMetricsServer {
  port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics` on a port of its own, which a firewall can block. @param pages must not reject */
export async function listenMetrics(
  pages: { render(): Promise<string> },
  listen: ListenConfig,
): Promise<RunningMetricsServer> {
  const limits = { requestTimeout: 5000, connectionsCheckingInterval: 1000, maxHeaderSize: 8192 };
  const server = createServer({ ...limits, IncomingMessage: GatheredRequest }, (request, response) => {
    dropRest(request, response);
    const isPage = request.method === "GET" && request.url?.split("?")[0] === "/metrics";
    response.writeHead(isPage ? 200 : 404, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    if (isPage) void pages.render().then((text) => response.end(text));
    else response.end("Not found\n");
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.keepAliveTimeout = IDLE_MS;
  server.setTimeout(IDLE_MS);
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(listen.port, listen.host, done);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
