/**
 * The settings of INTERFACE as a typed tree. `readConfig` (config-read.ts) makes it from the environment and stops the start
 * with the variable's name when anything is wrong; nothing else reads `process.env`.
 */
export type Service = "api" | "mx" | "submission" | "sender";

export type DeliveryMode = { kind: "preview" } | { kind: "relay"; url: URL } | { kind: "direct" };

export interface ListenConfig {
  host: string;
  port: number;
}

export interface LimitOverride {
  max: number;
  windowSeconds: number;
}

export interface Config {
  production: boolean;
  services: ReadonlySet<Service>;
  http: ListenConfig;
  mx: ListenConfig;
  submission: ListenConfig;
  submissions: ListenConfig;
  metricsPort: number | null;
  dataDir: string;
  /** `null`: the embedded database. */
  databaseUrl: string | null;
  /** 32 bytes; `null`: generated beside the data, mode 0600. */
  secretKey: Buffer | null;
  publicUrl: URL;
  /** Whether `KAUKE_PUBLIC_URL` was given; while unset `http://127.0.0.1:<port>` counts as the same origin. */
  publicUrlGiven: boolean;
  trustedProxies: readonly string[];
  tls: { certFile: string; keyFile: string } | null;
  /** Lower case; the first two are the provider's own. */
  domains: readonly string[];
  mailHost: string;
  /** A second, Ed25519 signature beside the RSA one (RFC 8463). */
  dkimEd25519: boolean;
  /** Outgoing mail is signed here; off where a relay behind us signs. */
  dkim: boolean;
  postmaster: string | null;
  /** Mailbox named in the DMARC record for aggregate reports. */
  dmarcReports: string | null;
  delivery: DeliveryMode;
  /** SPF, DKIM, DMARC and ARC are checked on arrival; off behind an MX that has done so, or to measure without. */
  authentication: boolean;
  /** Domains whose ARC seals explain a DMARC failure. */
  arcTrusted: readonly string[];
  /** What was found on arrival is sealed into an ARC set when mail is forwarded. */
  arcSeal: boolean;
  /** `null`: the system's resolvers. */
  dnsServers: readonly string[] | null;
  undoSeconds: number;
  /** How long a sender waits for the destinations before its message is kept and answered; RFC 5321 §4.5.3.2.6. */
  answerSeconds: number;
  /** Seconds between attempts; the last one is the end. */
  retrySchedule: readonly number[];
  webhookAllow: readonly string[];
  maxMessageBytes: number;
  /** Bytes of undelivered mail that one account may have in the spool; one alias may have half of that. */
  spoolAccountBytes: number;
  /** Bytes of free disk space. With less than that, mail is refused first for the accounts with most undelivered mail. */
  diskReserveBytes: number;
  /** Bytes of messages in memory at once over the whole process. */
  memoryBudgetBytes: number;
  /** `off`: no limits at all (load tests). */
  limits: "off" | ReadonlyMap<string, LimitOverride>;
  /** Federated sign-in through OpenID Connect discovery; `null`: off. */
  google?: { clientId: string; clientSecret: string; issuer: string } | null;
  /** Days that the operator's log system keeps what we write to the output; `null`: not said. */
  logDays: number | null;
  links: { docs: string; social: string; video: string; reviews: string; feedback: string; smtpGuide: string };
}
