import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { counters, gauges } from "./metric-table.ts";
import { createMetrics, listenMetrics } from "./metrics.ts";

test("counts add up per combination of labels", () => {
  const metrics = createMetrics();
  metrics.count("kauke_deliveries_total", { kind: "mailbox", result: "taken" });
  metrics.count("kauke_deliveries_total", { result: "taken", kind: "mailbox" }, 2);
  metrics.count("kauke_deliveries_total", { kind: "webhook", result: "refused" });
  const page = metrics.render();
  expect(page).toContain("# TYPE kauke_deliveries_total counter\n");
  expect(page).toContain('kauke_deliveries_total{kind="mailbox",result="taken"} 3\n');
  expect(page).toContain('kauke_deliveries_total{kind="webhook",result="refused"} 1\n');
  metrics.close();
});

test("a count that the table does not have is not added, only the number of such attempts", () => {
  const metrics = createMetrics();
  metrics.count("kauke_unheard_of_total");
  metrics.count("kauke_messages_total", { result: "ann@example.org" });
  metrics.count("kauke_messages_total", { result: "passed", to: "ann@example.org" });
  metrics.count("kauke_messages_total");
  metrics.count("kauke_messages_total", { result: "passed" }, Number.NaN);
  metrics.gauge("kauke_unheard_of", () => 1);
  const page = metrics.render();
  expect(page).toContain("\nkauke_metrics_refused_total 6\n");
  expect(page).not.toMatch(/unheard|ann|kauke_messages_total/);
  metrics.close();
});

test("gauges are read when the page is rendered, and include figures of the process", () => {
  const metrics = createMetrics();
  let open = 1;
  metrics.gauge("kauke_mx_sessions", () => open);
  open = 7;
  const page = metrics.render();
  expect(page).toContain("# TYPE kauke_mx_sessions gauge\nkauke_mx_sessions 7\n");
  expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(page)?.[1])).toBeGreaterThan(10_000_000);
  expect(page).toMatch(/^process_cpu_seconds_total \d/m);
  expect(page).toMatch(/^nodejs_eventloop_lag_p99_seconds (?:\d|NaN)/m);
  metrics.close();
});

test("every line of the page has the format that Prometheus reads", () => {
  const metrics = createMetrics();
  metrics.count("kauke_messages_total", { result: "kept" });
  const line =
    /^(?:# (?:HELP|TYPE) [a-z_0-9]+ .+|[a-z_0-9]+(?:\{[a-z]+="[a-z_]+"(?:,[a-z]+="[a-z_]+")*\})? (?:[\d.e+-]+|NaN))$/;
  for (const each of metrics.render().trimEnd().split("\n")) expect(each).toMatch(line);
  metrics.close();
});

test("readings of one gauge are added up, as those of two listeners", () => {
  const metrics = createMetrics();
  for (const open of [3, 4]) metrics.gauge("kauke_mx_sessions", () => open);
  expect(metrics.render()).toContain("\nkauke_mx_sessions 7\n");
  metrics.close();
});

test("the page is served on its own port, and no other page is", async () => {
  const metrics = createMetrics();
  const server = await listenMetrics({ render: async () => metrics.render() }, { host: "127.0.0.1", port: 0 });
  const origin = `http://127.0.0.1:${server.port}`;
  const page = await fetch(`${origin}/metrics`);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await page.text()).toContain("process_resident_memory_bytes");
  expect((await fetch(`${origin}/`)).status).toBe(404);
  expect((await fetch(`${origin}/metrics`, { method: "POST" })).status).toBe(404);
  await server.close();
  await expect(fetch(`${origin}/metrics`)).rejects.toThrow();
  metrics.close();
});

test("every metric name that the server's sources use is in the table", () => {
  const folder = join(import.meta.dirname, "../..");
  const sources = globSync("**/*.ts", { cwd: folder }).filter((path) => !path.endsWith(".test.ts"));
  const used = sources.flatMap((path) => [
    ...readFileSync(join(folder, path), "utf8").matchAll(/metrics\.(count|gauge)\(\s*"([^"]+)"/g),
  ]);
  expect(used.length).toBeGreaterThan(0);
  for (const [, kind, name = ""] of used) expect(Object.keys(kind === "count" ? counters : gauges)).toContain(name);
});
