/** Starts the mail workers of the server, which listen for mail in its place. */
import { randomBytes } from "node:crypto";
import type { Config, ListenConfig } from "./config.ts";
import type { ConfirmationSettings } from "./core/destination/destination.ts";
import type { Clock, Logger } from "./core/ports.ts";
import type { MailTrace } from "./core/preview/mail-trace.ts";
import type { PreviewInbox } from "./core/preview/preview-inbox.ts";
import { type LaunchWorker, launchWorkerProcess } from "./mail-workers/launch-worker.ts";
import { MailWorkers } from "./mail-workers/mail-workers.ts";
import type { ShareHub } from "./mail-workers/share-hub.ts";
import { refuseTakenPorts } from "./mail-workers/taken-ports.ts";
import type { OwnerStore } from "./mail-workers/worker-calls.ts";
import { sendConfig, sendDkimKey, workerHmacPurposes } from "./mail-workers/worker-setup.ts";
import { loadCertificate } from "./operate/certificate.ts";
import type { MetricsRegistry } from "./operate/telemetry/metrics.ts";
import type { MailListeners } from "./start-mail.ts";
import type { Store } from "./store/open-store.ts";

/** Length in bytes of the keys of TLS session tickets. The keys are never stored. */
const TICKET_KEYS_BYTES = 48;

export interface MailWorkerParts {
  config: Config;
  store: Store & OwnerStore;
  preview: PreviewInbox | null;
  trace: MailTrace | null;
  metrics: MetricsRegistry;
  clock: Clock;
  logger: Logger;
  confirmation: ConfirmationSettings | null;
  hub: ShareHub;
  /** Function that starts a mail worker; `undefined` for one that starts a child process. */
  launch: LaunchWorker | undefined;
}

export interface StartedWorkers extends MailListeners {
  workers: MailWorkers;
}

/**
 * Starts the mail workers and waits until they listen.
 * @throws SettingsError when the certificate cannot be read, and the system's error (EADDRINUSE, EACCES) when a port
 * cannot be used
 */
export async function startMailWorkers(parts: MailWorkerParts): Promise<StartedWorkers> {
  const { config, store, preview, launch = launchWorkerProcess } = parts;
  // Without a configured certificate this writes a self-signed one, so that all workers read the same one.
  loadCertificate(config, parts).close();
  const isDatabaseShared = store.kind === "postgres";
  if (!isDatabaseShared) await refuseTakenPorts(portsOf(config));
  const workers = new MailWorkers({
    ...parts,
    count: config.workers,
    launch,
    setup: {
      config: sendConfig(config),
      isDatabaseShared,
      hasInFlight: store.inFlight !== null,
      hmacKeys: workerHmacPurposes.map((purpose) => [purpose, store.hmacKey(purpose)]),
      dkimKeys: store.dkimKeys.map(sendDkimKey),
      ticketKeys: randomBytes(TICKET_KEYS_BYTES),
      confirmation: parts.confirmation,
      hasPreview: preview !== null,
    },
  });
  try {
    const ports = await workers.start();
    return { ports, workers, close: (graceMs) => workers.close(graceMs) };
  } catch (thrown) {
    await workers.close(0);
    throw thrown;
  }
}

function portsOf({ services, mx, submission, submissions }: Config): ListenConfig[] {
  return [...(services.has("mx") ? [mx] : []), ...(services.has("submission") ? [submission, submissions] : [])];
}
