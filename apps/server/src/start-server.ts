/**
 * Wires and starts the chosen services, and shuts them down gracefully; the only place besides testkit that chooses
 * adapters. A shutdown accepts nothing new, answers requests and transactions in progress, leaves undelivered mail in
 * the spool, and closes the store last.
 */
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { ControlHandlers } from "./cli/control/control-protocol.ts";
import { listenControl } from "./cli/control/control-socket.ts";
import { controlHandlers } from "./cli/control/server-facts.ts";
import { mtaStsPolicyOf } from "./cli/dns-plan.ts";
import { type GoneWebhook, pauseWebhook } from "./core/alias/webhook.ts";
import type { ConfirmationSettings } from "./core/destination/destination.ts";
import type { ServiceFetch } from "./core/import/service-fetch.ts";
import type { LeakGuard } from "./core/leak-guard.ts";
import type { PasswordHasher } from "./core/password-hasher.ts";
import { MailTrace } from "./core/preview/mail-trace.ts";
import { PreviewInbox } from "./core/preview/preview-inbox.ts";
import type { SendPreviewReply } from "./core/preview/preview-reply.ts";
import { SpoolSpace } from "./core/spool/spool-space.ts";
import { allFeatures, type Features } from "./features.ts";
import { isLocalHost, previewAccess } from "./http/preview/preview-access.ts";
import { replyRoute } from "./http/preview/reply-route.ts";
import { previewRoutes } from "./http/preview/routes.ts";
import { traceRoutes } from "./http/preview/trace-routes.ts";
import { buildHttpServer } from "./http/server.ts";
import { mtaStsRoute } from "./http/site/mta-sts.ts";
import { createResolver, type Resolver } from "./mail/dns/resolver.ts";
import { previewReplyTaker } from "./mail/inbound/take-preview-reply.ts";
import type { Encrypter } from "./mail/message/forward-copy.ts";
import type { MxHandlers } from "./mail/smtp/session-handlers.ts";
import { parseAllowList } from "./mail/transport/address-guard.ts";
import { chooseTransports, type DirectOverrides } from "./mail/transport/choose-transport.ts";
import { guardedGet } from "./mail/transport/guarded-get.ts";
import { watchDisk } from "./platform/disk-reserve.ts";
import { openIdIssuer } from "./platform/openid-issuer.ts";
import { readPreviewToken } from "./platform/preview-token.ts";
import { createMetrics, type MetricsRegistry } from "./platform/telemetry/metrics.ts";
import { listenMetrics } from "./platform/telemetry/metrics-server.ts";
import { ageWorker } from "./platform/workers/age-worker.ts";
import { argon2Hasher } from "./platform/workers/argon2-hasher.ts";
import type { GroupMember } from "./processes/process-messages.ts";
import { systemClock } from "./runtime/clock.ts";
import { asCaller } from "./runtime/fair-queue/caller.ts";
import { LISTEN_BACKLOG } from "./runtime/listen-backlog.ts";
import type { Clock, Logger, Random } from "./runtime/ports.ts";
import { systemRandom } from "./runtime/random.ts";
import { ShutdownSignal } from "./runtime/shutdown-signal.ts";
import type { Config } from "./settings/config.ts";
import { type MailPorts, startMailListeners } from "./start-mail.ts";
import { openStore, type Store, type StoreOptions } from "./store/open-store.ts";
import { wireMail } from "./wire-mail.ts";

/** Adapters that tests replace; everything else is the real implementation. */
export interface StartOverrides {
  clock?: Clock;
  random?: Random;
  hasher?: PasswordHasher;
  resolver?: Resolver;
  /** Replacement for requests to other services' APIs during imports, for tests. */
  serviceFetch?: ServiceFetch;
  direct?: DirectOverrides;
  webRoot?: string;
  /** Whether mailboxes are asked for confirmation and limited until then (default); false leaves other limits on. */
  asksForConfirmation?: boolean;
  /** Replacements for features, e.g. to leave one out. */
  features?: Partial<Features>;
  /** Replacement for the age implementation, which encrypts forwarded mail. */
  encrypter?: Encrypter;
  /** Set in a process of a group, which has the control socket and the page of metrics in its place. */
  member?: GroupMember;
  /** Store options, e.g. for a store in memory or on a failing disk. */
  store?: Partial<StoreOptions>;
}

export interface RunningServer {
  ports: { http: number | null } & MailPorts;
  store: Store;
  preview: PreviewInbox | null;
  /** Token that opens the preview inbox; `null` when the preview inbox is not available. */
  previewToken: string | null;
  metrics: MetricsRegistry;
  /** Handlers of the operator's calls. */
  control: ControlHandlers;
  close(): Promise<void>;
}

/** Milliseconds that work in progress gets at shutdown; the whole shutdown takes less than five seconds. */
const GRACE_MS = 2500;
const builtWeb = fileURLToPath(new URL("../../web/dist", import.meta.url));

interface Parts {
  config: Config;
  logger: Logger;
  metrics: MetricsRegistry;
  clock: Clock;
  random: Random;
  resolver: Resolver;
  store: Store;
  preview: PreviewInbox | null;
  previewToken: string | null;
  trace: MailTrace | null;
  overrides: StartOverrides;
  isReady: () => boolean;
  shutdown: ShutdownSignal;
  features: Features;
  leakGuard: LeakGuard;
  spoolSpace: SpoolSpace;
  /** Number of processes of this server. */
  processes: number;
}

/**
 * Steps of a shutdown: first, concurrently, everything that accepts work (`fronts`); then, one by one in reverse order,
 * what that depends on (`backs`).
 */
class Closers {
  readonly shutdown = new ShutdownSignal();
  readonly fronts: (() => Promise<unknown>)[] = [];
  readonly backs: (() => Promise<unknown> | void)[] = [];

  #begunAt = 0;

  /** Milliseconds left of GRACE_MS since the shutdown began, at least 300. */
  get graceLeftMs(): number {
    return Math.max(300, GRACE_MS - (performance.now() - this.#begunAt));
  }

  async run(): Promise<void> {
    this.#begunAt = performance.now();
    this.shutdown.begin();
    await Promise.all(this.fronts.map((close) => close()));
    for (const close of this.backs.reverse()) await close();
  }
}

/**
 * Starts the chosen services. @throws StoreStartError and similar errors, whose message is a sentence for the operator
 */
export async function startServer(
  config: Config,
  logger: Logger,
  overrides: StartOverrides = {},
): Promise<RunningServer> {
  const clock = overrides.clock ?? systemClock;
  const random = overrides.random ?? systemRandom;
  const metrics = createMetrics();
  const previewToken = isPreviewShown(config) ? await readPreviewToken(config.dataDir) : null;
  const store = await openStore({ ...storeOptions(config), clock, logger, ...overrides.store });
  const preview = config.delivery.kind === "preview" ? new PreviewInbox(clock) : null;
  const trace = preview === null ? null : new MailTrace();
  const closers = new Closers();
  const features = { ...allFeatures, ...overrides.features };
  const leakGuard = features.leakGuard();
  closers.backs.push(() => leakGuard.close());
  const spoolSpace = await openSpoolSpace({ config, store, closers });
  let ready = false;
  const close = closeOnce(async () => {
    ready = false;
    await closers.run();
    await store.close();
    metrics.close();
  });
  const parts: Parts = {
    config,
    logger,
    metrics,
    clock,
    random,
    resolver: overrides.resolver ?? createResolver({ servers: config.dnsServers }),
    store,
    preview,
    previewToken,
    trace,
    overrides,
    isReady: () => ready && store.isSound(),
    shutdown: closers.shutdown,
    features,
    leakGuard,
    spoolSpace,
    processes: overrides.member?.processes ?? 1,
  };
  try {
    const { ports, control } = await startServices(parts, closers);
    ready = true;
    return { ports, store, preview, previewToken, metrics, control, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function storeOptions({ databaseUrl, dataDir, secretKey, dkim, domains, dkimEd25519 }: Config): StoreOptions {
  return { databaseUrl, dataDir, secretKey, dkimDomains: dkim ? domains : [], dkimEd25519 };
}

/**
 * Creates the spool space. Free disk space is watched only for the embedded database, whose spool is on this machine.
 */
async function openSpoolSpace({ config, store, closers }: Pick<Parts, "config" | "store"> & { closers: Closers }) {
  const isHere = store.kind === "embedded";
  const disk = isHere ? await watchDisk({ dataDir: config.dataDir, reserveBytes: config.diskReserveBytes }) : null;
  closers.backs.push(() => disk?.close());
  const now = () => performance.now();
  const { deliveries } = store;
  return new SpoolSpace({ deliveries, accountMaxBytes: config.spoolAccountBytes, disk, now });
}

/** The preview inbox shows the mail of all accounts, so it exists only while the public URL is unset or loopback. */
function isPreviewShown({ delivery, publicUrl, services }: Config): boolean {
  return delivery.kind === "preview" && services.has("api") && isLocalHost(publicUrl.host);
}

/** Runs the shutdown once: a second call waits for the first. */
function closeOnce(run: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null;
  return () => (closing ??= run());
}

async function startServices(parts: Parts, closers: Closers): Promise<Pick<RunningServer, "ports" | "control">> {
  const { config, metrics, overrides } = parts;
  const ports: RunningServer["ports"] = { http: null, mx: null, submission: null, submissions: null };
  let sendPreviewReply: SendPreviewReply | null = null;
  const runs = (...services: string[]) => services.some((it) => config.services.has(it as never));
  if (config.metricsPort !== null && overrides.member === undefined) {
    const server = await listenMetrics(
      { render: async () => metrics.render() },
      { host: config.http.host, port: config.metricsPort },
    );
    closers.backs.push(() => server.close());
  }
  if (runs("mx", "sender", "submission")) {
    const transports = chooseTransports(config, { ...parts, direct: overrides.direct });
    const store = { ...parts.store, pauseWebhook: (gone: GoneWebhook) => pauseWebhook(parts.store, gone) };
    const mail = wireMail({
      ...parts,
      store,
      ...parts.features,
      leakGuard: parts.leakGuard,
      queue: runs("sender") ? store.deliveries : null,
      transports,
      confirmation: confirmationOf(parts),
      encrypter: overrides.encrypter,
    });
    if (parts.preview !== null) sendPreviewReply = previewReplies(mail.handlers, parts.preview, config);
    closers.backs.push(
      () => mail.close(),
      () => transports.close(closers.graceLeftMs),
    );
    const { deliveryWorker } = mail;
    if (deliveryWorker !== null) {
      deliveryWorker.start();
      closers.fronts.push(() => deliveryWorker.close(GRACE_MS));
    }
    const listeners = await startMailListeners({
      ...parts,
      mail,
      isRunning: runs,
      ticketKeys: overrides.member?.ticketKeys,
    });
    closers.fronts.push(() => listeners.close(GRACE_MS));
    Object.assign(ports, listeners.ports);
  }
  if (runs("api")) ports.http = await startHttp(parts, closers, sendPreviewReply);
  const control = controlHandlers({ ...parts, ports: { ...ports } });
  if (overrides.member === undefined) {
    const socket = await listenControl({ dataDir: config.dataDir, handlers: control, logger: parts.logger });
    closers.backs.push(() => socket.close());
  }
  return { ports, control };
}

function confirmationOf({ config, overrides }: Pick<Parts, "config" | "overrides">): ConfirmationSettings | null {
  const [domain] = config.domains;
  if (overrides.asksForConfirmation === false || config.limits === "off" || domain === undefined) return null;
  return { origin: config.publicUrl.origin, domain };
}

function previewReplies(inbound: MxHandlers, inbox: PreviewInbox, { domains, mailHost }: Config): SendPreviewReply {
  return previewReplyTaker({ inbound, inbox, domains: new Set(domains), mailHost });
}

async function startHttp(parts: Parts, closers: Closers, send: SendPreviewReply | null): Promise<number> {
  const { config, store, overrides, preview, trace } = parts;
  const hasher = overrides.hasher ?? argon2Hasher();
  const worker = ageWorker();
  const access = previewAccess(parts.previewToken);
  const app: FastifyInstance = await buildHttpServer({
    ...parts,
    ...store,
    hasher,
    aliasSources: parts.features.aliasSources,
    serviceFetch: overrides.serviceFetch ?? guardedGet({ ...parts, allow: parseAllowList(config.webhookAllow) }),
    federatedIssuer: config.google ? openIdIssuer(config.google, parts) : null,
    confirmation: confirmationOf(parts),
    ageWorker: worker,
    asCaller,
    webRoot: overrides.webRoot ?? builtWeb,
    preview: access,
    extraRoutes: [
      (it) => previewRoutes(it, preview, access),
      (it) => replyRoute(it, preview === null ? null : { ...parts, inbox: preview, send }, access),
      (it) => traceRoutes(it, trace, access),
      (it) => mtaStsRoute(it, { ...config, policy: mtaStsPolicyOf(config) }),
    ],
  });
  closers.fronts.push(
    () => app.close(),
    () => worker.close(GRACE_MS),
  );
  // Fastify passes `reusePort` on to Node's server.
  const listen = { ...config.http, backlog: LISTEN_BACKLOG, reusePort: overrides.member !== undefined };
  await app.listen(listen);
  return (app.server.address() as AddressInfo).port;
}
