import { expect, it } from "vitest";
import { healthMetrics } from "./app-health-metrics.ts";
import { makeSelfSigned } from "./platform/self-signed.ts";
import { createMetrics } from "./platform/telemetry/metrics.ts";

const HOUR_MS = 3_600_000;
const now = new Date("2026-03-01T12:00:00.000Z");
const after = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);

it("the page of metrics has the queue, the certificate, the disk and the store", async () => {
  const metrics = createMetrics();
  const pair = makeSelfSigned({ commonName: "x", hosts: ["x.test"], notBefore: after(-1), notAfter: after(48) });
  const state = { isSound: true, share: 1, figures: { open: 3, oldestAt: after(-2), messageBytes: 1 } };
  const service = healthMetrics({
    metrics,
    clock: { now: () => now },
    certificate: { current: () => pair } as never,
    store: {
      isSound: () => state.isSound,
      deliveries: { figures: async () => state.figures },
      operatorDomains: { countByState: async () => ({ proven: 2, suspended: 1 }) },
    } as never,
    provider: null,
    disk: { share: () => state.share } as never,
  });
  await service.start?.();
  const page = metrics.render();
  for (const line of [
    "kauke_queue_deliveries 3",
    "kauke_queue_age_seconds 7200",
    "kauke_certificate_seconds_left 172800",
    "kauke_own_domains_proven 2",
    "kauke_own_domains_suspended 1",
    "kauke_own_domains_failing 0",
    "kauke_disk_reserve_share 1",
    "kauke_store_sound 1",
  ])
    expect(page).toContain(`\n${line}\n`);
  [state.isSound, state.share] = [false, 0.25];
  expect(metrics.render()).toMatch(/kauke_disk_reserve_share 0\.25\n[^]*kauke_store_sound 0\n/);
  await service.close?.();
  metrics.close();
});
