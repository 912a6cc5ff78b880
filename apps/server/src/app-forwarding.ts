/** The forwarding provider as a service; with our own engine there is nothing to keep in step. */
import type { Parts, Service } from "./app-services.ts";
import { engineForwarding, type ForwardingProvider } from "./core/forwarding/forwarding-provider.ts";
import { rateLimitRules } from "./limits/named-limits.ts";
import type { Resolver } from "./mail/dns/resolver.ts";
import { parseAllowList } from "./mail/transport/address-guard.ts";
import { guardedCall } from "./mail/transport/guarded-call.ts";
import { forwardEmailProvider } from "./platform/forward-email/forward-email.ts";
import { ProviderWorker } from "./platform/provider-worker.ts";
import type { Config } from "./settings/config.ts";

export function forwardingOf(
  { forwarding, webhookAllow }: Pick<Config, "forwarding" | "webhookAllow">,
  { resolver }: { resolver: Resolver },
): ForwardingProvider {
  if (forwarding.kind === "engine") return engineForwarding;
  return forwardEmailProvider(guardedCall({ resolver, allow: parseAllowList(webhookAllow) }), forwarding);
}

export function forwardingService(parts: Parts): Service {
  const { config, store, forwarding, confirmation } = parts;
  const worker = new ProviderWorker({
    ...parts,
    ...store,
    provider: forwarding,
    confirmation,
    limitRules: rateLimitRules(config.limits),
  });
  return {
    start: async () => worker.start(),
    drain: () => worker.close(),
  };
}
