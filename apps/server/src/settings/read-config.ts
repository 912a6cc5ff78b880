/** Builds the `Config` from the environment; reports all problems at once, by variable name, and stops the start. */
import { resolve } from "node:path";
import { docsPath, limits, registrationModes, smtpGuidePath } from "@kauke/contract";
import { defaultRetrySchedule } from "@kauke/mail-rfc";
import type { Config, DeliveryMode, ForwardingConfig, ListenConfig, ServiceName } from "./config.ts";
import { type Environment, readEnvironment, SettingReader, SettingsError } from "./env.ts";
import type { SettingName } from "./table.ts";
import * as value from "./values.ts";

const allServices: readonly ServiceName[] = ["api", "mx", "submission", "sender"];
const defaultDomains = ["kauke.test", "slapta.test", "rukas.test", "tyla.test", "vejas.test"];
export const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory";
export const forwardEmail = "https://api.forwardemail.net";
const MIB = 1_048_576;
/** Maximum processes: four times the processor cores of a large machine for mail. */
const WORKERS_MAX = 64;
/** Whether several processes can listen on one port and share its connections evenly (SO_REUSEPORT). */
const canSharePorts = process.platform === "linux";
/** Large forwarders and mailing-list hosts whose ARC chains are trusted by default. */
const knownSealers = [
  "google.com",
  "microsoft.com",
  "fastmail.com",
  "messagingengine.com",
  "icloud.com",
  "lists.debian.org",
];

export interface ReadConfig {
  config: Config;
  warnings: readonly string[];
}

/** @param folder of relative paths in settings @throws SettingsError with one sentence per invalid setting */
export function readConfig(environment: Environment, folder: string, limitNames: readonly string[]): ReadConfig {
  const settings = new SettingReader(environment);
  const listeners = readListeners(settings);
  const mail = readMail(settings);
  const forwarding = readForwarding(settings);
  const delivery = readDelivery(settings, forwarding);
  const store = readStore(settings, folder);
  const config: Config = {
    production: settings.read("NODE_ENV", false, (text) => text === "production"),
    ...listeners,
    ...store,
    ...readWeb(settings, listeners),
    ...mail,
    services: readServices(settings, forwarding),
    ...readCertificates(settings, folder),
    workers: readWorkers(settings, store.databaseUrl === null || delivery.kind === "preview"),
    forwarding,
    delivery,
    limits: settings.read<Config["limits"]>("KAUKE_LIMITS", new Map(), value.limitsOf(limitNames)),
    google: readGoogle(settings),
    links: readLinks(settings),
    logDays: settings.read<number | null>("KAUKE_LOG_DAYS", null, value.integer(0, 3650)),
  };
  refuseContradictions(settings, config);
  const warnings = [...settings.finish().map(unknownSetting), ...workerWarnings(environment, config)];
  return { config, warnings: [...warnings, ...productionWarnings(settings, config)] };
}

/** Prints warnings and problems to stderr; problems end the process with code 1. */
export function readConfigOrExit(folder: string, limitNames: readonly string[]): Config {
  try {
    const { config, warnings } = readConfig(readEnvironment(folder), folder, limitNames);
    for (const warning of warnings) process.stderr.write(`${warning}\n`);
    return config;
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    for (const problem of thrown.problems) process.stderr.write(`${problem}\n`);
    return process.exit(1);
  }
}

function readListeners(settings: SettingReader) {
  const host = settings.read("KAUKE_HOST", "127.0.0.1", value.listenHost);
  const listen = (name: SettingName, fallback: number): ListenConfig => ({
    host,
    port: settings.read(name, fallback, value.port),
  });
  const submissions = listen("KAUKE_SUBMISSIONS_PORT", 2465);
  const pop3sPort = settings.read("KAUKE_POP3S_PORT", submissions.port === 465 ? 995 : 2995, value.portOrOff);
  return {
    http: listen("KAUKE_HTTP_PORT", 3000),
    https: readHttps(settings, listen("KAUKE_HTTPS_PORT", 443)),
    mx: listen("KAUKE_MX_PORT", 2525),
    submission: listen("KAUKE_SUBMISSION_PORT", 2587),
    submissions,
    pop3s: pop3sPort === null ? null : { host, port: pop3sPort },
    metricsPort: settings.read<number | null>("KAUKE_METRICS_PORT", null, value.port),
  };
}

function readHttps(settings: SettingReader, at: ListenConfig): ListenConfig | null {
  return settings.read("KAUKE_HTTPS", "off", value.oneOf("on", "off")) === "on" ? at : null;
}

function readStore(settings: SettingReader, folder: string) {
  // Read with the environment, before any other setting.
  settings.has("KAUKE_SETTINGS_FILE");
  return {
    dataDir: resolve(
      folder,
      settings.read("KAUKE_DATA_DIR", "./data", (text) => text),
    ),
    databaseUrl: settings.read<string | null>("DATABASE_URL", null, value.databaseUrl),
    secretKey: settings.read<Buffer | null>("KAUKE_SECRET_KEY", null, value.secretKey),
  };
}

function readWeb(settings: SettingReader, { http, https }: Pick<Config, "http" | "https">) {
  const local = https === null ? `http://localhost:${http.port}` : `https://localhost:${https.port}`;
  return {
    publicUrl: settings.read("KAUKE_PUBLIC_URL", new URL(local), value.origin),
    publicUrlGiven: settings.has("KAUKE_PUBLIC_URL"),
    registration: settings.read("KAUKE_REGISTRATION", "open", value.oneOf(...registrationModes)),
    trustedProxies: settings.read<readonly string[]>("KAUKE_TRUSTED_PROXIES", [], value.commaList(value.addressRange)),
    undoSeconds: settings.read("KAUKE_UNDO_SECONDS", 6, value.integer(0, 3600)),
    webhookAllow: settings.read<readonly string[]>("KAUKE_WEBHOOK_ALLOW", [], value.commaList(value.hostOrRange)),
  };
}

function readMail(settings: SettingReader) {
  const domains = settings.read("KAUKE_DOMAINS", defaultDomains, value.commaList(value.domainName));
  const maxMessageBytes = settings.read("KAUKE_MAX_MESSAGE_BYTES", 26_214_400, value.integer(1024, 1024 * MIB));
  return {
    domains,
    mailHost: settings.read("KAUKE_MAIL_HOST", `mail.${domains[0]}`, value.domainName),
    userDomains: settings.read("KAUKE_USER_DOMAINS", 5, value.countOrOff(limits.userDomainsMax)),
    dkim: settings.read("KAUKE_DKIM", "on", value.oneOf("on", "off")) === "on",
    dkimEd25519: settings.read("KAUKE_DKIM_ED25519", "off", value.oneOf("on", "off")) === "on",
    postmaster: settings.read<string | null>("KAUKE_POSTMASTER", null, value.mailbox),
    dmarcReports: settings.read<string | null>("KAUKE_DMARC_REPORTS", null, value.mailbox),
    dnsServers: settings.read<string[] | null>("KAUKE_DNS_SERVERS", null, value.commaList(value.dnsServer)),
    authentication: settings.read("KAUKE_AUTHENTICATION", true, (text) => value.oneOf("on", "off")(text) === "on"),
    arcTrusted: settings.read<readonly string[]>("KAUKE_ARC_TRUSTED", knownSealers, value.domainsOrOff),
    arcSigning: settings.read("KAUKE_ARC_SEAL", "off", value.oneOf("on", "off", "always")),
    answerSeconds: settings.read("KAUKE_ANSWER_SECONDS", 20, value.integer(0, 300)),
    retrySchedule: settings.read("KAUKE_RETRY_SCHEDULE", defaultRetrySchedule, value.retrySchedule),
    maxMessageBytes,
    spoolAccountBytes: settings.read("KAUKE_SPOOL_ACCOUNT_MIB", 1024, value.integer(1, 1_048_576)) * MIB,
    diskReserveBytes: settings.read("KAUKE_DISK_RESERVE_MIB", 1024, value.integer(0, 1_048_576)) * MIB,
    // Four of the largest messages must fit; with less memory, one sender could exclude all others.
    memoryBudgetBytes: Math.max(128 * MIB, 4 * maxMessageBytes),
  };
}

function readCertificates(settings: SettingReader, folder: string): Pick<Config, "tls" | "acme"> {
  const tls = readFiles(settings, folder);
  const kind = settings.read(
    "KAUKE_TLS",
    tls === null ? "self-signed" : "files",
    value.oneOf("acme", "files", "self-signed"),
  );
  const directoryUrl = settings.read("KAUKE_ACME_DIRECTORY", letsEncrypt, value.issuer);
  const email = settings.read<string | null>("KAUKE_ACME_EMAIL", null, value.mailbox);
  if (kind === "files" && tls === null) settings.refuse("KAUKE_TLS_CERT must be set when KAUKE_TLS is files.");
  if (kind !== "files" && tls !== null)
    settings.refuse(`KAUKE_TLS_CERT contradicts KAUKE_TLS=${kind}: set one of them only.`);
  return { tls, acme: kind === "acme" ? { directoryUrl, email } : null };
}

function readFiles(settings: SettingReader, folder: string): Config["tls"] {
  const certFile = settings.read<string | null>("KAUKE_TLS_CERT", null, (text) => resolve(folder, text));
  const keyFile = settings.read<string | null>("KAUKE_TLS_KEY", null, (text) => resolve(folder, text));
  if (certFile !== null && keyFile !== null) return { certFile, keyFile };
  if (certFile !== null) settings.refuse("KAUKE_TLS_KEY must be set when KAUKE_TLS_CERT is.");
  if (keyFile !== null) settings.refuse("KAUKE_TLS_CERT must be set when KAUKE_TLS_KEY is.");
  return null;
}

function readForwarding(settings: SettingReader): ForwardingConfig {
  const kind = settings.read("KAUKE_FORWARDING", "engine", value.oneOf("engine", "forward-email"));
  const url = settings.read("KAUKE_PROVIDER_URL", new URL(forwardEmail), value.providerUrl);
  const key = settings.read<string | null>("KAUKE_PROVIDER_KEY", null, value.providerKey);
  if (kind === "engine") return { kind };
  if (!settings.has("KAUKE_PROVIDER_KEY"))
    settings.refuse("KAUKE_PROVIDER_KEY must be set when KAUKE_FORWARDING is forward-email.");
  return { kind, url, key: key ?? "" };
}

/** With a provider no mail comes in, and mail programs send at the provider. */
const byProvider: readonly ServiceName[] = ["mx", "submission"];

function readServices(settings: SettingReader, { kind }: ForwardingConfig): ReadonlySet<ServiceName> {
  const usual = kind === "engine" ? allServices : allServices.filter((name) => !byProvider.includes(name));
  const services = new Set(settings.read("KAUKE_SERVICES", [...usual], value.commaList(value.oneOf(...allServices))));
  for (const name of byProvider)
    if (kind !== "engine" && services.has(name))
      settings.refuse(
        `KAUKE_SERVICES must leave out ${name} when KAUKE_FORWARDING is ${kind}: the provider does that.`,
      );
  return services;
}

function readDelivery(settings: SettingReader, forwarding: ForwardingConfig): DeliveryMode {
  const url = settings.read<URL | null>("KAUKE_RELAY_URL", null, value.relayUrl);
  const isByProvider = forwarding.kind !== "engine";
  const fallback = settings.has("KAUKE_RELAY_URL") ? "relay" : isByProvider ? "provider" : "preview";
  const kind = settings.read("KAUKE_DELIVERY", fallback, value.oneOf("preview", "relay", "direct", "provider"));
  if (kind === "provider" && !isByProvider)
    settings.refuse("KAUKE_FORWARDING must be forward-email when KAUKE_DELIVERY is provider.");
  if (kind !== "relay" && url !== null) {
    settings.refuse(`KAUKE_RELAY_URL contradicts KAUKE_DELIVERY=${kind}: set one of them only.`);
  }
  if (kind !== "relay") return { kind };
  if (!settings.has("KAUKE_RELAY_URL")) settings.refuse("KAUKE_RELAY_URL must be set when KAUKE_DELIVERY is relay.");
  return url === null ? { kind: "direct" } : { kind, url };
}

/** Number of processes: one with the embedded database, and with the preview inbox, which is in one process' memory. */
function readWorkers(settings: SettingReader, isAlone: boolean): number {
  const workers = settings.read("KAUKE_WORKERS", 1, value.integer(1, WORKERS_MAX));
  if (isAlone) return 1;
  if (workers > 1 && !canSharePorts)
    settings.refuse("KAUKE_WORKERS must be 1 on this system: only Linux shares ports.");
  return workers;
}

function readGoogle(settings: SettingReader): Config["google"] {
  const clientId = settings.read<string | null>("KAUKE_GOOGLE_CLIENT_ID", null, (text) => text);
  const clientSecret = settings.read<string | null>("KAUKE_GOOGLE_CLIENT_SECRET", null, (text) => text);
  const issuer = settings.read("KAUKE_GOOGLE_ISSUER", "https://accounts.google.com", value.issuer);
  if (clientId !== null && clientSecret !== null) return { clientId, clientSecret, issuer };
  if (clientId !== null) settings.refuse("KAUKE_GOOGLE_CLIENT_SECRET must be set when KAUKE_GOOGLE_CLIENT_ID is.");
  if (clientSecret !== null) settings.refuse("KAUKE_GOOGLE_CLIENT_ID must be set when KAUKE_GOOGLE_CLIENT_SECRET is.");
  return null;
}

function readLinks(settings: SettingReader): Config["links"] {
  return {
    docs: settings.read("KAUKE_LINK_DOCS", docsPath, value.webLink),
    social: settings.read("KAUKE_LINK_SOCIAL", "https://social.kauke.test/", value.webLink),
    video: settings.read("KAUKE_LINK_VIDEO", "https://video.kauke.test/", value.webLink),
    reviews: settings.read("KAUKE_LINK_REVIEWS", "https://reviews.kauke.test/", value.webLink),
    feedback: settings.read("KAUKE_LINK_FEEDBACK", "https://feedback.kauke.test/", value.webLink),
    smtpGuide: settings.read("KAUKE_LINK_SMTP_GUIDE", smtpGuidePath, value.webLink),
  };
}

function refuseContradictions(settings: SettingReader, config: Config): void {
  if (config.delivery.kind === "preview" && config.production) {
    settings.refuse(
      "KAUKE_DELIVERY must be relay, direct or provider when NODE_ENV is production: preview delivers nothing.",
    );
  }
  const needed = allServices.filter((name) => config.forwarding.kind === "engine" || !byProvider.includes(name));
  if (needed.some((name) => !config.services.has(name)) && !settings.has("DATABASE_URL")) {
    settings.refuse(
      "DATABASE_URL must be set when KAUKE_SERVICES leaves a service out: processes share their data only through PostgreSQL.",
    );
  }
  if (settings.has("DATABASE_URL") && !settings.has("KAUKE_SECRET_KEY")) {
    settings.refuse("KAUKE_SECRET_KEY must be set when DATABASE_URL is: every process needs the same key.");
  }
  const postmasterDomain = config.postmaster?.split("@").at(-1)?.toLowerCase() ?? "";
  if (config.domains.includes(postmasterDomain)) {
    settings.refuse("KAUKE_POSTMASTER must be a mailbox elsewhere: on one of KAUKE_DOMAINS its mail would loop.");
  }
  if (config.https !== null && config.publicUrl.protocol !== "https:") {
    settings.refuse("KAUKE_PUBLIC_URL must begin with https:// when KAUKE_HTTPS is on.");
  }
  refuseSharedPorts(settings, config);
}

/** Every port to listen on, with the setting that names it. */
export const namedPorts = (config: Config): readonly (readonly [name: SettingName, port: number | null])[] => [
  ["KAUKE_HTTP_PORT", config.http.port],
  ["KAUKE_HTTPS_PORT", config.https?.port ?? null],
  ["KAUKE_MX_PORT", config.mx.port],
  ["KAUKE_SUBMISSION_PORT", config.submission.port],
  ["KAUKE_SUBMISSIONS_PORT", config.submissions.port],
  ["KAUKE_POP3S_PORT", config.pop3s?.port ?? null],
  ["KAUKE_METRICS_PORT", config.metricsPort],
];

/** @param thrown by a listener @returns a sentence for the operator; `null` for another error */
export function listenProblem(thrown: unknown, config: Config): SettingsError | null {
  const { code, port } = Object(thrown) as { code?: unknown; port?: unknown };
  const name = namedPorts(config).find(([, one]) => one === port)?.[0] ?? "the settings";
  if (code === "EADDRINUSE")
    return new SettingsError([
      `Port ${String(port)} is taken by another program. Free it, or set another one in ${name}.`,
    ]);
  if (code !== "EACCES") return null;
  const capability =
    "ports below 1024 need the capability CAP_NET_BIND_SERVICE (AmbientCapabilities= in a systemd unit)";
  return new SettingsError([
    `This user may not use port ${String(port)}: ${capability}. Grant it, or set another port in ${name}.`,
  ]);
}

function refuseSharedPorts(settings: SettingReader, config: Config): void {
  const open = namedPorts(config).filter(([, port]) => port !== null && port !== 0);
  for (const [index, [name, port]] of open.entries()) {
    const first = open.slice(0, index).find(([, other]) => other === port);
    if (first !== undefined) settings.refuse(`${name} must differ from ${first[0]}.`);
  }
}

function unknownSetting(name: string): string {
  return `${name} is not a setting of Kauke and has no effect.`;
}

function workerWarnings({ KAUKE_WORKERS }: Environment, { workers, databaseUrl }: Config): string[] {
  if (workers > 1 || Number(KAUKE_WORKERS ?? 1) <= 1) return [];
  const why = databaseUrl === null ? "the embedded database" : "the preview inbox";
  return [`KAUKE_WORKERS has no effect with ${why}: one process does everything.`];
}

function productionWarnings(settings: SettingReader, config: Config): string[] {
  if (!config.production) return [];
  const warnings: string[] = [];
  if (config.limits === "off") warnings.push("KAUKE_LIMITS=off switches off every limit: meant for load tests only.");
  if (!settings.has("KAUKE_DOMAINS"))
    warnings.push("KAUKE_DOMAINS is not set: no mail arrives at the example domains.");
  return warnings;
}
