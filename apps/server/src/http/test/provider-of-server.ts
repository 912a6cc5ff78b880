/** The forwarding provider of a test server, in runs where one forwards instead of our engine. */
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { forwardThrough } from "@kauke/testkit/provider-run";
import type { ForwardingProvider } from "../../core/forwarding/forwarding-provider.ts";
import { providerTimes } from "../../core/forwarding/provider-times.ts";
import { rateLimitRules } from "../../limits/named-limits.ts";
import { createResolver } from "../../mail/dns/resolver.ts";
import { parseAllowList } from "../../mail/transport/address-guard.ts";
import { guardedCall } from "../../mail/transport/guarded-call.ts";
import { forwardEmailProvider } from "../../platform/forward-email/forward-email.ts";
import { ProviderWorker } from "../../platform/provider-worker.ts";
import { type Clock, systemRandom } from "../../runtime/ports.ts";
import type { Store } from "../../store/open-store.ts";

interface ProviderOfServer {
  forwarding: ForwardingProvider;
  /** @throws Error when the server sent what a careful client does not send */
  close(): Promise<void>;
}

export async function providerOfServer(
  store: Store,
  { clock, domains }: { clock: Clock; domains: readonly string[] },
): Promise<ProviderOfServer> {
  const fake = await FakeForwardEmail.start({ domains });
  const { KAUKE_PROVIDER_URL: url, KAUKE_WEBHOOK_ALLOW: allowed } = forwardThrough(fake);
  const call = guardedCall({ resolver: createResolver({ servers: null }), allow: parseAllowList([allowed]) });
  const forwarding = forwardEmailProvider(call, { url: new URL(url), key: fake.key });
  const worker = new ProviderWorker({
    ...store,
    clock,
    random: systemRandom,
    provider: forwarding,
    confirmation: null,
    limitRules: rateLimitRules("off"),
    logger: { warn: () => {} },
    times: { ...providerTimes, everyMs: 50 },
  });
  worker.start();
  const close = async () => {
    await worker.close();
    await fake.close();
    if (fake.violations.length > 0) throw new Error(fake.violations.join("\n"));
  };
  return { forwarding, close };
}
