/**
 * A mail worker: the listeners for incoming and submitted mail and the first attempts to deliver it, using the store of
 * the owner process. Each mail worker signs on a thread of its own (`signing-thread.ts`).
 */
import type { Config } from "../config.ts";
import type { Clock, Logger, Random } from "../core/ports.ts";
import type { TraceStep } from "../core/preview/mail-trace.ts";
import type { PreviewArrival } from "../core/preview/preview-inbox.ts";
import { SpoolSpace } from "../core/spool/spool-space.ts";
import { ExchangedShares } from "../core/worker-shares/exchanged-shares.ts";
import type { WorkerShares } from "../core/worker-shares/worker-shares.ts";
import type { Encrypter } from "../mail/copy/forward-copy.ts";
import { chooseTransports, type DirectOverrides } from "../mail/queue/choose-transport.ts";
import { createResolver, type Resolver } from "../mail/resolver.ts";
import { ShutdownSignal } from "../mail/shutdown-signal.ts";
import type { MailStore } from "../mail-store.ts";
import { systemClock } from "../operate/clock.ts";
import { watchDisk } from "../operate/disk-reserve.ts";
import { systemRandom } from "../operate/random.ts";
import { leakGuardWorker } from "../operate/workers/leak-guard-worker.ts";
import { startMailListeners } from "../start-mail.ts";
import { wireMail } from "../wire-mail.ts";
import type { Link } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";
import { type CallOwner, remoteCalls } from "./remote-calls.ts";
import { remoteStore } from "./remote-store.ts";
import { workerExchange } from "./share-hub.ts";
import { SERVER_PART } from "./store-methods.ts";
import { workerMetrics } from "./worker-metrics.ts";
import { receiveConfig, type WorkerSetup } from "./worker-setup.ts";

/** Adapters that tests can replace. */
export interface WorkerOverrides {
  clock?: Clock;
  random?: Random;
  resolver?: Resolver;
  direct?: DirectOverrides;
  encrypter?: Encrypter;
}

/** Milliseconds that SMTP transactions in progress get to finish at shutdown. */
const GRACE_MS = 2500;

type OwnerLink = Link<ToOwner, ToWorker>;

/** Waits for the setup from the owner, then serves until the owner sends `stop` or ends. */
export function runMailWorker(link: OwnerLink, logger: Logger, overrides: WorkerOverrides = {}): void {
  let closing: Shutdown | null = null;
  let isOwnerGone = false;
  link.onMessage((message) => {
    if (message.kind === "ping") link.send({ kind: "pong" });
    else if (message.kind === "start") void begin(message.setup);
    else if (message.kind === "stop") void end();
  });
  link.onClose(() => {
    isOwnerGone = true;
    void closing?.(0);
  });

  async function begin(setup: WorkerSetup): Promise<void> {
    try {
      closing = await start({ link, setup, logger, overrides });
      if (isOwnerGone) await closing(0);
    } catch (thrown) {
      const { code, port } = Object(thrown) as { code?: unknown; port?: unknown };
      const known = { code: typeof code === "string" ? code : "unknown", port: typeof port === "number" ? port : null };
      link.send({ kind: "failed", ...known });
    }
  }

  async function end(): Promise<void> {
    await closing?.(GRACE_MS);
    link.send({ kind: "stopped" });
  }
}

/** Shuts the worker down: finishes transactions in progress within `graceMs`, and stores every outcome. */
type Shutdown = (graceMs: number) => Promise<void>;

interface Started {
  link: OwnerLink;
  setup: WorkerSetup;
  logger: Logger;
  overrides: WorkerOverrides;
}

async function start({ link, setup, logger, overrides }: Started): Promise<Shutdown> {
  const config = receiveConfig(setup.config, setup.ports);
  const clock = overrides.clock ?? systemClock;
  const call = remoteCalls(link);
  const store = remoteStore(link, call, setup);
  const metrics = workerMetrics(link);
  const shutdown = new ShutdownSignal();
  const resolver = overrides.resolver ?? createResolver({ servers: config.dnsServers });
  const { preview, trace } = previewOf(setup, link, call);
  const shares = new ExchangedShares(workerExchange(setup.number, link));
  const { direct } = overrides;
  const transports = chooseTransports(config, { preview, clock, resolver, metrics, logger, direct, shares });
  const { spoolSpace, disk } = await openSpoolSpace({ config, setup, store, shares });
  const leakGuard = leakGuardWorker();
  const random = overrides.random ?? systemRandom;
  const { confirmation, ticketKeys } = setup;
  const { encrypter } = overrides;
  const tools = {
    clock,
    random,
    logger,
    metrics,
    trace,
    shutdown,
    leakGuard,
    spoolSpace,
    shares,
    confirmation,
    encrypter,
  };
  const mail = wireMail({ ...tools, config, store, queue: null, transports, resolver });
  link.onMessage((message) => {
    if (message.kind === "lease") mail.leases.takeOver(message);
  });
  const isRunning = (service: "mx" | "submission") => config.services.has(service);
  const listeners = await startMailListeners({ ...tools, config, mail, isRunning, sharesPorts: true, ticketKeys });
  link.send({ kind: "ready", ports: listeners.ports });
  return async (graceMs) => {
    shutdown.begin();
    await listeners.close(graceMs);
    await transports.close(graceMs);
    await mail.close();
    await leakGuard.close();
    disk?.close();
    metrics.close();
  };
}

/** Adds to the preview inbox and mail trace in the owner process; both are `null` when the owner has none. */
function previewOf({ hasPreview }: WorkerSetup, link: OwnerLink, call: CallOwner) {
  if (!hasPreview) return { preview: null, trace: null };
  const add = async (arrival: PreviewArrival) => void (await call(SERVER_PART, "preview", [arrival]));
  const addStep = (messageId: string, step: TraceStep) => link.send({ kind: "trace", messageId, step });
  return { preview: { add }, trace: { add: addStep } };
}

interface SpoolParts {
  config: Config;
  setup: WorkerSetup;
  store: MailStore;
  shares: WorkerShares;
}

async function openSpoolSpace({ config, setup, store, shares }: SpoolParts) {
  const { dataDir, diskReserveBytes: reserveBytes, spoolAccountBytes: accountMaxBytes } = config;
  const disk = setup.isDatabaseShared ? null : await watchDisk({ dataDir, reserveBytes });
  const now = () => performance.now();
  return { disk, spoolSpace: new SpoolSpace({ deliveries: store.deliveries, accountMaxBytes, disk, now, shares }) };
}
