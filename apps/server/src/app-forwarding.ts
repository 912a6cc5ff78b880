/** The forwarding provider as a service; with our own engine there is nothing to keep in step. */
import type { Parts, Service } from "./app-services.ts";
import type { ProviderView } from "./cli/control/provider-calls.ts";
import { engineForwarding, type ForwardingProvider } from "./core/forwarding/forwarding-provider.ts";
import { type ProviderTimes, providerTimes } from "./core/forwarding/provider-times.ts";
import type { SendByProvider } from "./core/forwarding/send-by-provider.ts";
import { rateLimitRules } from "./limits/named-limits.ts";
import type { Resolver } from "./mail/dns/resolver.ts";
import { parseAllowList } from "./mail/transport/address-guard.ts";
import { guardedCall } from "./mail/transport/guarded-call.ts";
import { apiClient } from "./platform/forward-email/api-client.ts";
import { forwardEmailProvider } from "./platform/forward-email/forward-email.ts";
import { emailSender } from "./platform/forward-email/send-email.ts";
import { ProviderComparison } from "./platform/provider-comparison.ts";
import { ProviderWorker } from "./platform/provider-worker.ts";
import type { Config } from "./settings/config.ts";

export function forwardingOf(
  { forwarding, webhookAllow }: Pick<Config, "forwarding" | "webhookAllow">,
  { resolver, times }: { resolver: Resolver; times?: Partial<ProviderTimes> | undefined },
): ForwardingProvider {
  if (forwarding.kind === "engine") return engineForwarding;
  const call = guardedCall({ resolver, allow: parseAllowList(webhookAllow) });
  return forwardEmailProvider(call, { ...forwarding, times: { ...providerTimes, ...times } });
}

type ViewParts = Pick<Parts, "config" | "store" | "forwarding" | "clock" | "random" | "logger"> & {
  isConfirmationNeeded: boolean;
};

/** What the operator's commands, the doctor and the daily comparison need; `null` with our own engine. */
export function providerViewOf({ config, store, forwarding, ...parts }: ViewParts): ProviderView | null {
  const { about, account } = forwarding;
  if (about === null || account === null) return null;
  const comparison = new ProviderComparison({
    ...store,
    ...parts,
    account,
    ownDomains: config.domains,
    postmaster: config.postmaster,
  });
  return { about, account, comparison, isConfirmationNeeded: parts.isConfirmationNeeded };
}

export function sendingOf(
  { forwarding, webhookAllow }: Pick<Config, "forwarding" | "webhookAllow">,
  { resolver, processes }: Pick<Parts, "resolver" | "processes">,
): SendByProvider | null {
  if (forwarding.kind === "engine") return null;
  const call = guardedCall({ resolver, allow: parseAllowList(webhookAllow) });
  return emailSender(apiClient(call, forwarding), { processes });
}

export function forwardingService(parts: Parts): Service {
  const { config, store, forwarding, confirmation, provider } = parts;
  const worker = new ProviderWorker({
    ...parts,
    ...store,
    provider: forwarding,
    confirmation,
    times: { ...providerTimes, ...parts.overrides.providerTimes },
    limitRules: rateLimitRules(config.limits),
  });
  return {
    start: async () => {
      worker.start();
      provider?.comparison.start();
    },
    drain: () => Promise.all([worker.close(), provider?.comparison.close()]),
  };
}
