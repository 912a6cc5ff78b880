/** The forwarding provider with the REST API of Forward Email. */
import type { CallProvider } from "../../core/forwarding/call-provider.ts";
import type { ForwardingProvider } from "../../core/forwarding/forwarding-provider.ts";
import { type ProviderTimes, providerTimes } from "../../core/forwarding/provider-times.ts";
import { type Clock, type Random, steadyMs, systemClock, systemRandom } from "../../runtime/ports.ts";
import { forwardEmailAccount } from "./account.ts";
import { apiClient } from "./api-client.ts";
import { bring } from "./bring.ts";
import { callGates } from "./call-gates.ts";

interface ProviderSettings {
  url: URL;
  key: string;
  clock?: Clock;
  random?: Pick<Random, "bytes">;
  times?: Pick<ProviderTimes, "recheckMs">;
}

export function forwardEmailProvider(
  call: CallProvider,
  { url, key, clock = systemClock, random = systemRandom, times = providerTimes }: ProviderSettings,
): ForwardingProvider {
  const api = apiClient(call, { url, key, clock });
  const deps = { api, clock, random, gates: callGates(() => steadyMs(clock)), lateMs: times.recheckMs };
  return {
    about: { name: "Forward Email", smtpHost: url.hostname.replace(/^api\./, "smtp.") },
    account: forwardEmailAccount(api),
    bring: (input, signal) => bring(deps, input, signal),
  };
}
