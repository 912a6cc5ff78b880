/** Certificates of own domains' policy hosts for the https listener: opened when a client names one, few kept open. */
import { createSecureContext, type SecureContext } from "node:tls";
import type { ProvenDomains } from "../../core/domain/account-domain.ts";
import type { PolicyCertificateStore } from "../../core/domain/policy-certificates.ts";
import { bounds } from "../../limits/table.ts";
import { FairMap } from "../../runtime/fair-map.ts";
import type { CertificatePair } from "../self-signed.ts";

const { opened, openedMs, absentMs } = bounds.policyCertificates;
const PREFIX = "mta-sts.";

interface Parts {
  provenDomains: Pick<ProvenDomains, "find">;
  policyCertificates: Pick<PolicyCertificateStore, "recordsOf">;
  ticketKeys?: Buffer | undefined;
  nowMs?: () => number;
}

/** The domain whose policy host has this name, if it leads here. @param host as a client wrote it */
export function policyDomainOf({ provenDomains }: Pick<Parts, "provenDomains">, host: string) {
  const name = host.toLowerCase().replace(/\.$/, "");
  const found = name.startsWith(PREFIX) ? provenDomains.find(name.slice(PREFIX.length)) : null;
  return found?.hasPolicyHost === true ? found : null;
}

/** @returns `null` at once for every other name; a promise of `null` while there is no certificate */
export function policyContexts(parts: Parts): (name: string) => Promise<SecureContext | null> | null {
  const nowMs = parts.nowMs ?? (() => performance.now());
  const known = new FairMap<Promise<SecureContext | null>>({ all: opened, nowMs });
  return (name) => {
    const domain = policyDomainOf(parts, name);
    if (domain === null) return null;
    const kept = known.get(domain.id);
    if (kept !== undefined) return kept;
    const opening = openContext(parts, domain.id);
    const keep = (ms: number) => known.set(domain.id, opening, { party: domain.userId, size: 1, until: nowMs() + ms });
    keep(absentMs);
    opening.then((context) => context !== null && keep(openedMs)).catch(() => known.delete(domain.id));
    return opening;
  };
}

async function openContext({ policyCertificates, ticketKeys }: Parts, id: string): Promise<SecureContext | null> {
  const stored = (await policyCertificates.recordsOf(id).read("certificate", "policy")) as CertificatePair | null;
  return stored === null ? null : createSecureContext({ key: stored.key, cert: stored.cert, ticketKeys });
}
