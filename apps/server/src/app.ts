/** The server: chooses adapters, and starts the services in order. Besides testkit, the only place that chooses them. */
import type { AdminHandlers } from "@kauke/contract";
import { openCertificates } from "./app-certificates.ts";
import { domainService } from "./app-domains.ts";
import { forwardingOf, forwardingService, providerViewOf } from "./app-forwarding.ts";
import { healthMetrics } from "./app-health-metrics.ts";
import { httpService } from "./app-http.ts";
import { type MailPorts, mailService } from "./app-mail.ts";
import { policyService } from "./app-policies.ts";
import type { Parts, Service, StartOverrides } from "./app-services.ts";
import { adminHandlers } from "./cli/control/admin-handlers.ts";
import { audited } from "./cli/control/audited.ts";
import type { ControlHandlers } from "./cli/control/control-protocol.ts";
import { listenControl } from "./cli/control/control-socket.ts";
import { controlHandlers } from "./cli/control/server-facts.ts";
import { MailTrace, PreviewInbox } from "./core/preview/preview-inbox.ts";
import { SpoolSpace } from "./core/spool/spool-space.ts";
import { allFeatures, type Features } from "./features.ts";
import { isLocalHost } from "./http/preview/preview-access.ts";
import { createResolver } from "./mail/dns/resolver.ts";
import { type WatchedDisk, watchDisk } from "./platform/disk-reserve.ts";
import { readPreviewToken } from "./platform/preview-token.ts";
import { createMetrics, listenMetrics, type MetricsRegistry } from "./platform/telemetry/metrics.ts";
import { type Logger, systemClock, systemRandom } from "./runtime/ports.ts";
import { ShutdownSignal } from "./runtime/shutdown-signal.ts";
import type { Config, ServiceName } from "./settings/config.ts";
import { listenProblem } from "./settings/read-config.ts";
import { openStore, type Store } from "./store/open-store.ts";

export type { StartOverrides } from "./app-services.ts";

export interface RunningServer {
  /** `http` serves everything, or redirects to `https`. */
  ports: { http: number | null; https: number | null } & MailPorts;
  store: Store;
  preview: PreviewInbox | null;
  previewToken: string | null;
  metrics: MetricsRegistry;
  control: ControlHandlers;
  /** A second call waits for the first. */
  close(): Promise<void>;
}

/**
 * Starts the services that the settings choose. A shutdown accepts nothing new, finishes requests and transactions in
 * progress, leaves undelivered mail in the spool, and closes the store last.
 * @throws StoreStartError, SettingsError and similar errors, whose message is a sentence for the operator
 */
export async function start(config: Config, logger: Logger, overrides: StartOverrides = {}): Promise<RunningServer> {
  const state = { isReady: false };
  const parts = await openParts(config, logger, overrides, state);
  const { store, metrics, shutdown, preview, previewToken } = parts;
  const mailPorts: MailPorts = { mx: null, submission: null, submissions: null, pop3s: null };
  const ports: RunningServer["ports"] = { http: null, https: null, ...mailPorts };
  const calls = controlHandlers({ ...parts, ports });
  const controlBy = (by: string) => audited(calls, by, (act) => store.operator.recordAct(act));
  const control = controlBy("command");
  const services = servicesOf(parts, { ports, control, admin: adminHandlers({ ...config, controlBy, logger }) });

  let closing: Promise<void> | null = null;
  const closeAll = async () => {
    state.isReady = false;
    shutdown.begin();
    await Promise.all(services.map(async (service) => await service.drain?.()));
    for (const service of services.toReversed()) await service.close?.();
    await store.close();
    metrics.close();
  };
  const close = () => (closing ??= closeAll());
  try {
    for (const service of services) await service.start?.();
    state.isReady = true;
    return { ports, store, preview, previewToken, metrics, control, close };
  } catch (thrown) {
    await close();
    throw listenProblem(thrown, config) ?? thrown;
  }
}

interface ServedBy {
  ports: RunningServer["ports"];
  control: ControlHandlers;
  admin: AdminHandlers;
}

function servicesOf(parts: OpenParts, { ports, control, admin }: ServedBy): readonly Service[] {
  const { config, overrides, leakGuard, disk, certificate, issuer } = parts;
  const runs = (name: ServiceName) => config.services.has(name);
  const isMember = overrides.member !== undefined;
  const mail = runs("mx") || runs("sender") || runs("submission") ? mailService(parts, ports) : null;
  return [
    { close: () => leakGuard.close() },
    { close: () => certificate.close() },
    { close: () => disk?.close() },
    ...(config.metricsPort === null ? [] : [healthMetrics(parts)]),
    ...(config.metricsPort === null || isMember ? [] : [metricsPage(parts, config.metricsPort)]),
    ...(mail === null ? [] : [mail]),
    ...(config.forwarding.kind === "engine" && runs("sender") ? [domainService(parts)] : []),
    ...(runs("sender") ? [policyService(parts) ?? []].flat() : []),
    ...(config.forwarding.kind !== "engine" && runs("sender") ? [forwardingService(parts)] : []),
    ...(runs("api")
      ? [
          httpService(parts, {
            ports,
            admin,
            send: mail?.previewReply ?? null,
            testMail: mail?.testMail ?? null,
            ...(issuer && { challenge: issuer.challenge }),
          }),
        ]
      : []),
    ...(issuer === null ? [] : [{ start: async () => issuer.start(), drain: () => issuer.close() }]),
    ...(isMember ? [] : [controlSocket(parts, control)]),
  ];
}

interface OpenParts extends Parts {
  leakGuard: ReturnType<Features["leakGuard"]>;
  disk: WatchedDisk | null;
}

async function openParts(
  config: Config,
  logger: Logger,
  overrides: StartOverrides,
  state: { isReady: boolean },
): Promise<OpenParts> {
  const { clock = systemClock, random = systemRandom, member } = overrides;
  const previewToken = isPreviewShown(config) ? await readPreviewToken(config.dataDir) : null;
  const store = await openStore({ ...storeOptions(config), clock, logger, ...overrides.store });
  const resolver = overrides.resolver ?? createResolver({ servers: config.dnsServers });
  const certificateParts = { config, store, resolver, clock, logger, ...member, issuerCa: overrides.issuerCa };
  const certificates = await orClose(store, () => openCertificates(certificateParts));
  const trace = config.delivery.kind === "preview" ? new MailTrace() : null;
  const preview = trace === null ? null : new PreviewInbox(clock, undefined, trace);
  const features = { ...allFeatures, ...overrides.features };
  const disk = await diskOf(config, store);
  const forwarding = forwardingOf(config, { resolver, times: overrides.providerTimes });
  const confirmation = confirmationOf(config, overrides);
  const viewParts = { config, store, forwarding, clock, random, logger };
  return {
    config,
    logger,
    metrics: createMetrics(),
    clock,
    random,
    resolver,
    ...certificates,
    store,
    preview,
    previewToken,
    trace,
    overrides,
    confirmation,
    isReady: () => state.isReady && store.isSound(),
    shutdown: new ShutdownSignal(),
    features,
    leakGuard: features.leakGuard(),
    disk,
    spoolSpace: spoolSpaceOf(config, store, disk),
    forwarding,
    provider: providerViewOf({ ...viewParts, isConfirmationNeeded: confirmation !== null }),
    processes: member?.processes ?? 1,
  };
}

/** What can't be opened closes the store, which else would keep the data directory locked. */
async function orClose<T>(store: Store, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

function metricsPage({ config, metrics }: Parts, port: number): Service {
  let page: { close(): Promise<void> } | null = null;
  return {
    async start() {
      page = await listenMetrics({ render: async () => metrics.render() }, { host: config.http.host, port });
    },
    close: () => page?.close(),
  };
}

/** The socket of the `kauke` command. */
function controlSocket({ config, logger }: Parts, handlers: ControlHandlers): Service {
  let socket: { close(): Promise<void> } | null = null;
  return {
    async start() {
      socket = await listenControl({ dataDir: config.dataDir, handlers, logger });
    },
    close: () => socket?.close(),
  };
}

function storeOptions({ databaseUrl, dataDir, secretKey, dkim, domains, dkimEd25519, forwarding }: Config) {
  const hasProvider = forwarding.kind !== "engine";
  return { databaseUrl, dataDir, secretKey, dkimDomains: dkim ? domains : [], dkimEd25519, hasProvider };
}

/** Free disk space is watched only for the embedded database, whose spool is on this machine. */
async function diskOf({ dataDir, diskReserveBytes }: Config, store: Store): Promise<WatchedDisk | null> {
  return store.kind === "embedded" ? await watchDisk({ dataDir, reserveBytes: diskReserveBytes }) : null;
}

function spoolSpaceOf({ spoolAccountBytes }: Config, { deliveries }: Store, disk: WatchedDisk | null) {
  return new SpoolSpace({ deliveries, accountMaxBytes: spoolAccountBytes, disk, now: () => performance.now() });
}

/** The preview inbox shows the mail of all accounts, so it exists only while the public URL is unset or loopback. */
function isPreviewShown({ delivery, publicUrl, services }: Config): boolean {
  return delivery.kind === "preview" && services.has("api") && isLocalHost(publicUrl.host);
}

function confirmationOf(config: Config, { asksForConfirmation }: StartOverrides) {
  const [domain] = config.domains;
  if (asksForConfirmation === false || config.limits === "off" || domain === undefined) return null;
  const isByProvider = config.forwarding.kind !== "engine";
  return { origin: config.publicUrl.origin, domain, ...(isByProvider && { isNothingForwarded: true as const }) };
}
