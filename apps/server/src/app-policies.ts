/** MTA-STS of accounts' own domains: their policies, and the certificates of the hosts that serve these. */
import { domainDns } from "./app-domains.ts";
import type { Parts, Service } from "./app-services.ts";
import { withdrawnPolicy } from "./cli/dns-plan.ts";
import { policyTargetOf } from "./core/certificate.ts";
import type { DomainDns } from "./core/domain/domain-dns.ts";
import { judgePolicyHost } from "./core/domain/domain-records.ts";
import { rateLimitRules } from "./limits/named-limits.ts";
import { policyContexts, policyDomainOf } from "./platform/acme/policy-contexts.ts";
import { PolicyWorker } from "./platform/acme/policy-worker.ts";

/** `null` where this server can't serve policy hosts, or the settings leave their certificates to the operator. */
export function policyService(parts: Parts): Service | null {
  const { config, store, overrides } = parts;
  const target = policyTargetOf(config);
  if (target === null || config.acme === null) return null;
  const dns = overrides.domainChecks?.domainDns ?? domainDns(config);
  const worker = new PolicyWorker({
    ...parts,
    ...store,
    directoryUrl: config.acme.directoryUrl,
    contact: config.acme.email,
    limitRules: rateLimitRules(config.limits),
    hasAddress: (host) => mayLeadHere(dns, { host, target }),
    ca: overrides.issuerCa,
    pollMs: overrides.domainChecks?.domainPollMs,
  });
  return { start: async () => worker.start(), drain: () => worker.close() };
}

/** True while DNS does not respond: then the issuer decides. */
async function mayLeadHere(dns: DomainDns, { host, target }: { host: string; target: string }): Promise<boolean> {
  const lookUps = dns.begin();
  const [found, wanted] = await Promise.all([lookUps.addresses(host), lookUps.addresses(target)]);
  const { state } = judgePolicyHost({ found, wanted });
  return state === "right" || state === "unread";
}

export function policyContextsOf({ config, store, overrides }: Parts) {
  if (policyTargetOf(config) === null) return undefined;
  return policyContexts({ ...store, ticketKeys: overrides.member?.ticketKeys });
}

/** A domain whose records are no longer right may be about to leave: senders must not be bound to this mail host. */
export function accountPolicies({ config, store }: Parts, policy: () => string): (host: string) => string | null {
  if (policyTargetOf(config) === null) return () => null;
  return (host) => {
    const domain = policyDomainOf(store, host);
    if (domain === null) return null;
    return domain.state === "proven" ? policy() : withdrawnPolicy(config.mailHost);
  };
}
