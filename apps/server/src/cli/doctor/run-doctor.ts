/** Runs every check that applies to this installation; no DNS checks while no mail leaves or reaches the machine. */

import { createResolver, type Resolver } from "../../mail/dns/resolver.ts";
import type { ControlHandlers, ServerFacts } from "../control/control-protocol.ts";
import { dnsPlan } from "../dns-plan.ts";
import { checkIssued } from "./certificate-checks.ts";
import type { CheckResult } from "./check-result.ts";
import { checkDomain, checkSpfRecord, type DomainCheckDeps, fetchPolicy } from "./domain-checks.ts";
import { checkMachine, checkMailHost, checkRelay } from "./host-checks.ts";
import { checkOwnDomains } from "./own-domain-checks.ts";
import { checkPorts } from "./port-checks.ts";
import { checkProvider, explainLeftOut } from "./provider-checks.ts";
import { checkPages, checkServer } from "./server-checks.ts";

export interface DoctorOptions {
  isRunning: boolean;
  dataDir: string;
  now: Date;
  /** Default: a resolver that asks the DNS servers of the settings. */
  resolver?: Resolver | undefined;
}

/** @param calls of the server, which says what it is set up for */
export async function runDoctor(
  calls: Pick<ControlHandlers, "facts" | "relay-state" | "provider-state">,
  { isRunning, dataDir, now, resolver }: DoctorOptions,
): Promise<CheckResult[]> {
  const facts = await calls.facts({});
  const deps = { resolver: resolver ?? createResolver({ servers: facts.dnsServers }), fetchPolicy };
  const relayState = facts.delivery === "relay" ? await calls["relay-state"]({}) : null;
  const provider = facts.provider === null ? null : await calls["provider-state"]({});
  const parts = await Promise.all([
    isRunning ? checkPorts(facts, dnsPlan(facts), now) : null,
    checkMachine({ dataDir, folder: process.cwd(), now, database: facts.database }),
    checkDns(facts, deps),
  ]);
  return [
    ...checkServer(facts, { isRunning, now }),
    ...checkIssued(facts),
    ...checkRelay(relayState),
    ...checkPages(facts),
    ...checkProvider(provider),
    ...checkOwnDomains(facts),
    ...parts.flatMap((one) => one ?? []),
  ];
}

export async function checkDns(
  facts: ServerFacts,
  deps: Pick<DomainCheckDeps, "resolver" | "fetchPolicy">,
): Promise<CheckResult[]> {
  const { delivery, domains, dkim, provider } = facts;
  if (provider !== null) return [explainLeftOut(provider)];
  if (delivery === "preview") return [];
  const plan = dnsPlan(facts);
  const { results, addresses } = await checkMailHost({ ...deps, plan, delivery });
  const domainDeps = { ...deps, plan, dkim, delivery, addresses };
  const ofHost = isOwnSpfAsked(facts) ? [await checkSpfRecord(plan.mailHost, domainDeps)] : [];
  const perDomain = await Promise.all(domains.map((domain) => checkDomain(domain, domainDeps)));
  return [...results, ...ofHost, ...perDomain.flat()];
}

/** With direct delivery, reports are sent under the mail host's own name, which then needs an SPF record. */
function isOwnSpfAsked({ delivery, domains, mailHost }: ServerFacts): boolean {
  return delivery === "direct" && !domains.includes(mailHost);
}
