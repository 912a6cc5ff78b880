/** What every service of the server is, and what tests may replace in it. */

import type { ProviderView } from "./cli/control/provider-calls.ts";
import type { ConfirmationSettings } from "./core/destination/destination.ts";
import type { DomainDns } from "./core/domain/domain-dns.ts";
import type { ForwardingProvider } from "./core/forwarding/forwarding-provider.ts";
import type { ProviderTimes } from "./core/forwarding/provider-times.ts";
import type { ServiceFetch } from "./core/import/imported-alias.ts";
import type { LeakGuard } from "./core/leak-guard.ts";
import type { MailTrace, PreviewInbox } from "./core/preview/preview-inbox.ts";
import type { SpoolSpace } from "./core/spool/spool-space.ts";
import type { PasswordHasher } from "./core/user/user.ts";
import type { Features } from "./features.ts";
import type { Resolver } from "./mail/dns/resolver.ts";
import type { Encrypter } from "./mail/message/forward-copy.ts";
import type { DirectOverrides } from "./mail/transport/choose-transport.ts";
import type { CertificateIssuer } from "./platform/acme/certificate-issuer.ts";
import type { CertificateSource } from "./platform/certificate.ts";
import type { MetricsRegistry } from "./platform/telemetry/metrics.ts";
import type { GroupMember } from "./processes/member-process.ts";
import type { Clock, Logger, Random } from "./runtime/ports.ts";
import type { ShutdownSignal } from "./runtime/shutdown-signal.ts";
import type { Config } from "./settings/config.ts";
import type { Store, StoreOptions } from "./store/open-store.ts";

/** Services start in order. A shutdown drains all of them at once, then closes them one by one in reverse order. */
export interface Service {
  start?(): Promise<void>;
  /** Accepts no new work and finishes what is in progress, within GRACE_MS. */
  drain?(): Promise<unknown>;
  close?(): Promise<unknown> | void;
}

/** Milliseconds that work in progress gets at shutdown; the whole shutdown takes less than five seconds. */
export const GRACE_MS = 2500;

/** Adapters that tests replace; everything else is the real implementation. */
export interface StartOverrides {
  clock?: Clock;
  random?: Random;
  hasher?: PasswordHasher;
  resolver?: Resolver;
  /** PEM of the root of the certificate issuer's web server. */
  issuerCa?: string;
  /** Makes requests to other services' APIs during imports. */
  serviceFetch?: ServiceFetch;
  direct?: DirectOverrides;
  webRoot?: string;
  /** How long the forwarding provider's worker waits. */
  providerTimes?: Partial<ProviderTimes>;
  /** The DNS that daily checks of own domains ask, and how often these look for due ones. */
  domainChecks?: { domainDns?: DomainDns; domainPollMs?: number };
  /** Whether mailboxes are asked for confirmation and limited until then (default); false leaves other limits on. */
  asksForConfirmation?: boolean;
  /** Replacements for features, e.g. to leave one out. */
  features?: Partial<Features>;
  /** Encrypts forwarded mail. */
  encrypter?: Encrypter;
  /** Set in a process of a group, which has the control socket and the page of metrics in its place. */
  member?: GroupMember;
  /** E.g. for a store in memory or on a failing disk. */
  store?: Partial<StoreOptions>;
}

/** What services share. */
export interface Parts {
  config: Config;
  logger: Logger;
  metrics: MetricsRegistry;
  clock: Clock;
  random: Random;
  resolver: Resolver;
  certificate: CertificateSource;
  issuer: CertificateIssuer | null;
  store: Store;
  preview: PreviewInbox | null;
  previewToken: string | null;
  trace: MailTrace | null;
  overrides: StartOverrides;
  /** `null` when mailboxes are not asked for confirmation. */
  confirmation: ConfirmationSettings | null;
  isReady: () => boolean;
  shutdown: ShutdownSignal;
  features: Features;
  leakGuard: LeakGuard;
  spoolSpace: SpoolSpace;
  forwarding: ForwardingProvider;
  /** `null` with our own engine. */
  provider: ProviderView | null;
  processes: number;
}
