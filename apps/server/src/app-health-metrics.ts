/** Gauges by which an alert knows early: queue, provider, certificate, disk, store. Only with a page of metrics. */
import { X509Certificate } from "node:crypto";
import { accountDomainStates } from "@kauke/contract";
import type { Parts, Service } from "./app-services.ts";
import type { WatchedDisk } from "./platform/disk-reserve.ts";

/** Reading the queue's figures reads every open row, so they are at most this old. */
const QUEUE_EVERY_MS = 60_000;

type HealthParts = Pick<Parts, "metrics" | "store" | "certificate" | "clock" | "provider"> & {
  disk: WatchedDisk | null;
};

export function healthMetrics({ metrics, store, certificate, clock, provider, disk }: HealthParts): Service {
  let queue: { open: number; oldestAt: Date | null } = { open: 0, oldestAt: null };
  const readQueue = async () => {
    queue = await store.deliveries.figures().catch(() => queue);
  };
  let outbox = { waiting: 0, failed: 0, differences: 0 };
  const readOutbox = async ({ comparison }: NonNullable<Parts["provider"]>) => {
    const { waiting, failed } = await store.providerAliases.figures();
    outbox = { waiting: waiting + failed, failed, differences: (await comparison.last())?.differences ?? 0 };
  };
  let ownDomains: Awaited<ReturnType<typeof store.operatorDomains.countByState>> | null = null;
  const readAll = async () => {
    await readQueue();
    ownDomains = await store.operatorDomains.countByState().catch(() => ownDomains);
    if (provider !== null) await readOutbox(provider).catch(() => {});
  };
  const secondsTo = (time: number) => (time - clock.now().getTime()) / 1000;
  metrics.gauge("kauke_queue_deliveries", () => queue.open);
  metrics.gauge("kauke_queue_age_seconds", () =>
    queue.oldestAt === null ? 0 : Math.max(0, -secondsTo(queue.oldestAt.getTime())),
  );
  metrics.gauge("kauke_certificate_seconds_left", () =>
    secondsTo(Date.parse(new X509Certificate(certificate.current().cert).validTo)),
  );
  if (provider !== null) {
    metrics.gauge("kauke_provider_waiting", () => outbox.waiting);
    metrics.gauge("kauke_provider_failed", () => outbox.failed);
    metrics.gauge("kauke_provider_differences", () => outbox.differences);
  }
  for (const state of accountDomainStates) metrics.gauge(`kauke_own_domains_${state}`, () => ownDomains?.[state] ?? 0);
  if (disk !== null) metrics.gauge("kauke_disk_reserve_share", () => disk.share());
  metrics.gauge("kauke_store_sound", () => (store.isSound() ? 1 : 0));
  let timer: NodeJS.Timeout | undefined;
  return {
    start: async () => {
      await readAll();
      timer = setInterval(() => void readAll(), QUEUE_EVERY_MS).unref();
    },
    close: () => clearInterval(timer),
  };
}
