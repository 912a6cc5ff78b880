/** Runs every check that applies to this installation; no DNS checks while no mail leaves the machine. */

import type { Resolver } from "../../mail/dns/resolver.ts";
import type { RelayState } from "../../mail/transport/relay-transport.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import { dnsPlan } from "../dns-plan.ts";
import { checkIssued } from "./certificate-checks.ts";
import type { CheckResult } from "./check-result.ts";
import { checkDomain, checkSpfRecord, type DomainCheckDeps } from "./domain-checks.ts";
import { checkMachine, checkMailHost, checkRelay } from "./host-checks.ts";
import { checkPorts } from "./port-checks.ts";
import { checkPages, checkServer } from "./server-checks.ts";

export interface DoctorDeps extends Pick<DomainCheckDeps, "resolver" | "fetchPolicy"> {
  isRunning: boolean;
  dataDir: string;
  folder: string;
  now: Date;
  relayState: RelayState | null;
}

export async function runDoctor(facts: ServerFacts, deps: DoctorDeps): Promise<CheckResult[]> {
  const plan = dnsPlan(facts);
  const parts = await Promise.all([
    deps.isRunning ? checkPorts(facts, plan, deps.now) : null,
    checkMachine({ ...deps, database: facts.database }),
    checkDns(facts, deps),
  ]);
  const found = parts.flatMap((one) => one ?? []);
  return [
    ...checkServer(facts, deps),
    ...checkIssued(facts),
    ...checkRelay(deps.relayState),
    ...checkPages(facts),
    ...found,
  ];
}

type DnsDeps = { resolver: Resolver } & Pick<DoctorDeps, "fetchPolicy">;

export async function checkDns(facts: ServerFacts, deps: DnsDeps): Promise<CheckResult[]> {
  const { delivery, domains, dkim } = facts;
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
