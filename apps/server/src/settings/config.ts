import type { RegistrationMode } from "@kauke/contract";

export type ServiceName = "api" | "mx" | "submission" | "sender";

/** `provider`: all mail leaves through the forwarding provider. */
export type DeliveryMode =
  | { kind: "preview" }
  | { kind: "relay"; url: URL }
  | { kind: "direct" }
  | { kind: "provider" };

/** Who receives the aliases' mail and forwards it: our own engine, or a provider with a REST API. */
export type ForwardingConfig = { kind: "engine" } | { kind: "forward-email"; url: URL; key: string };

export interface ListenConfig {
  host: string;
  port: number;
}

export interface Config {
  production: boolean;
  services: ReadonlySet<ServiceName>;
  workers: number;
  /** The web app and API; with `https`, redirects to it and answers ACME challenges. */
  http: ListenConfig;
  /** `null`: plain http only, for use behind a proxy. */
  https: ListenConfig | null;
  mx: ListenConfig;
  submission: ListenConfig;
  submissions: ListenConfig;
  /** POP3 over an empty mailbox, and the settings that mail programs look up; `null`: neither. */
  pop3s: ListenConfig | null;
  metricsPort: number | null;
  dataDir: string;
  databaseUrl: string | null;
  /** Wrapping key of 32 bytes; `null`: one is generated and stored in the data directory with mode 0600. */
  secretKey: Buffer | null;
  publicUrl: URL;
  /** Whether KAUKE_PUBLIC_URL is set. If not, `http://127.0.0.1:<port>` also counts as the same origin. */
  publicUrlGiven: boolean;
  registration: RegistrationMode;
  trustedProxies: readonly string[];
  tls: { certFile: string; keyFile: string } | null;
  /** Certificates by ACME (RFC 8555); `null`: from `tls`, or self-signed. */
  acme: { directoryUrl: string; email: string | null } | null;
  /** Domains in lower case; the first two are the provider's own. */
  domains: readonly string[];
  mailHost: string;
  /** Own domains that an account may have; 0: off. */
  userDomains: number;
  /** Whether to add an Ed25519 signature (RFC 8463) to the RSA one. */
  dkimEd25519: boolean;
  dkim: boolean;
  postmaster: string | null;
  dmarcReports: string | null;
  forwarding: ForwardingConfig;
  delivery: DeliveryMode;
  /** Whether SPF, DKIM, DMARC and ARC are checked on arrival; off behind an MX that does so. */
  authentication: boolean;
  /** Domains whose ARC chains may override a DMARC failure. */
  arcTrusted: readonly string[];
  arcSigning: "off" | "on" | "always";
  dnsServers: readonly string[] | null;
  undoSeconds: number;
  /** Seconds that a sender waits for the destinations before its message is queued (RFC 5321 §4.5.3.2.6). */
  answerSeconds: number;
  /** Seconds between delivery attempts: n intervals allow n + 1 attempts. */
  retrySchedule: readonly number[];
  webhookAllow: readonly string[];
  maxMessageBytes: number;
  /** Maximum undelivered mail of an account in the spool; one alias may use half of it. */
  spoolAccountBytes: number;
  /** Free disk space below which mail is refused, first for the accounts with most undelivered mail. */
  diskReserveBytes: number;
  /** Maximum bytes of messages in memory, over the whole process. */
  memoryBudgetBytes: number;
  /** Changes to rate limits by name; `off` disables all rate limits, for load tests. */
  limits: "off" | ReadonlyMap<string, { max: number; windowSeconds: number }>;
  /** Federated sign-in by OpenID Connect; `null`: off. */
  google?: { clientId: string; clientSecret: string; issuer: string } | null;
  /** Days for which the operator's log system keeps the output; `null`: not specified. */
  logDays: number | null;
  links: { docs: string; social: string; video: string; reviews: string; feedback: string; smtpGuide: string };
}
