/** Accounts' own domains: DNS for their checks, and the worker that repeats these. */
import type { Parts, Service } from "./app-services.ts";
import { policyTargetOf } from "./core/certificate.ts";
import type { DnsAnswer, DomainDns } from "./core/domain/domain-dns.ts";
import type { RecordTargets } from "./core/domain/domain-records.ts";
import { createResolver, type Resolver } from "./mail/dns/resolver.ts";
import { checkSpf } from "./mail/inbound/authenticate/check-spf.ts";
import { MessageDns } from "./mail/inbound/authenticate/message-dns.ts";
import { domainWorker } from "./platform/domain-worker.ts";
import type { Config } from "./settings/config.ts";

const DEADLINE_MS = 5000;
/** Addresses of a mail host for which SPF is evaluated. */
const ADDRESSES_MAX = 4;

/** Each check has a resolver of its own, and with it an empty cache. */
export function domainDns({ dnsServers: servers, mailHost }: Pick<Config, "dnsServers" | "mailHost">): DomainDns {
  return {
    begin() {
      const resolver = createResolver({ servers, deadlineMs: DEADLINE_MS });
      return {
        txt: (name) => resolver.resolveTxt(name),
        mx: (name) => resolver.resolveMx(name),
        addresses: (name) => addressesOf(resolver, name),
        mailHostPassesSpf: (domain) => mailHostPassesSpf(resolver, { domain, mailHost }),
      };
    },
  };
}

async function addressesOf(resolver: Resolver, name: string): Promise<DnsAnswer<string>> {
  const results = await Promise.all([resolver.resolve4(name), resolver.resolve6(name)]);
  const kinds = results.map(({ kind }) => kind);
  if (kinds.includes("failed")) return { kind: "failed" };
  const records = results.flatMap((result) => (result.kind === "found" ? result.records : []));
  return records.length > 0
    ? { kind: "found", records }
    : { kind: kinds.includes("no_record") ? "no_record" : "no_name" };
}

/** @returns `null` if the mail host has no address in DNS, or when time is up */
async function mailHostPassesSpf(
  resolver: Resolver,
  { domain, mailHost }: { domain: string; mailHost: string },
): Promise<boolean | null> {
  const dns = new MessageDns(resolver, DEADLINE_MS);
  try {
    const found = await Promise.all([dns.find(mailHost, "A"), dns.find(mailHost, "AAAA")]);
    const addresses = found.flatMap((result) => (result.kind === "found" ? result.records : []));
    if (addresses.length === 0) return null;
    const claim = { helo: mailHost, envelopeFrom: `postmaster@${domain}` };
    const checks = addresses.slice(0, ADDRESSES_MAX).map((clientAddress) => checkSpf({ ...claim, clientAddress }, dns));
    const results = (await Promise.all(checks)).map(({ result }) => result);
    if (results.includes("temperror")) return null;
    return results.every((result) => result === "pass");
  } finally {
    dns.close();
  }
}

export const recordTargets = (config: Config): RecordTargets => ({
  mailHost: config.mailHost,
  policyTarget: policyTargetOf(config),
});

export function domainService(parts: Parts): Service {
  const { config, store, overrides } = parts;
  const worker = domainWorker({
    ...parts,
    ...store,
    domainRules: recordTargets(config),
    domainDns: domainDns(config),
    ...overrides.domainChecks,
  });
  return { start: async () => worker.start(), drain: () => worker.close() };
}
