/**
 * The settings as a typed tree. `readConfig` (config-read.ts) builds it from the environment, and stops the start with
 * the name of the variable when a value is invalid; nothing else reads `process.env`.
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
  /** Number of whole processes on one PostgreSQL; 1 with the embedded database. */
  workers: number;
  http: ListenConfig;
  mx: ListenConfig;
  submission: ListenConfig;
  submissions: ListenConfig;
  metricsPort: number | null;
  dataDir: string;
  /** URL of the PostgreSQL database; `null` for the embedded database. */
  databaseUrl: string | null;
  /** The server's secret key, 32 bytes; `null`: a key is generated and stored in the data directory with mode 0600. */
  secretKey: Buffer | null;
  publicUrl: URL;
  /** Whether `KAUKE_PUBLIC_URL` was set; if not, `http://127.0.0.1:<port>` also counts as the same origin. */
  publicUrlGiven: boolean;
  trustedProxies: readonly string[];
  tls: { certFile: string; keyFile: string } | null;
  /** Our mail domains in lower case; the first two are the provider's own. */
  domains: readonly string[];
  mailHost: string;
  /** Whether outgoing mail gets an Ed25519 signature (RFC 8463) besides the RSA one. */
  dkimEd25519: boolean;
  /** Whether outgoing mail is signed here; off when a relay behind this server signs. */
  dkim: boolean;
  postmaster: string | null;
  /** Mailbox named in the DMARC record for aggregate reports. */
  dmarcReports: string | null;
  delivery: DeliveryMode;
  /** Whether SPF, DKIM, DMARC and ARC are checked on arrival; off behind an MX that does so, or for measurements. */
  authentication: boolean;
  /** Domains whose ARC seals may override a DMARC failure. */
  arcTrusted: readonly string[];
  /** Which forwarded mail gets an ARC set with the results found on arrival; see `mail/message/arc-signing.ts`. */
  arcSigning: "off" | "on" | "always";
  /** DNS servers as `host:port`; `null` for the system's resolvers. */
  dnsServers: readonly string[] | null;
  undoSeconds: number;
  /** Seconds a sender waits for the destinations before its message is stored and answered (RFC 5321 §4.5.3.2.6). */
  answerSeconds: number;
  /** Seconds between delivery attempts: n intervals allow n + 1 attempts. */
  retrySchedule: readonly number[];
  webhookAllow: readonly string[];
  maxMessageBytes: number;
  /** Maximum bytes of undelivered mail of an account in the spool; one alias may use half of it. */
  spoolAccountBytes: number;
  /** Minimum bytes of free disk space. Below it mail is refused, first for the accounts with most undelivered mail. */
  diskReserveBytes: number;
  /** Maximum bytes of messages in memory, over the whole process. */
  memoryBudgetBytes: number;
  /** Changes to rate limits by name; `off` disables all rate limits, for load tests. */
  limits: "off" | ReadonlyMap<string, LimitOverride>;
  /** Federated sign-in through OpenID Connect discovery; `null`: off. */
  google?: { clientId: string; clientSecret: string; issuer: string } | null;
  /** Days for which the operator's log system keeps the server's output; `null`: not specified. */
  logDays: number | null;
  links: { docs: string; social: string; video: string; reviews: string; feedback: string; smtpGuide: string };
}
