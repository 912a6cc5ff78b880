/**
 * Checks the DNS names of this machine: addresses of the mail host, their reverse names, and the host name for mail
 * programs.
 */
import { reverseName } from "@kauke/mail-rfc";
import type { Resolver } from "../../mail/dns/resolver.ts";
import { isPublicAddress } from "../../mail/transport/address-guard.ts";
import type { DnsPlan } from "../dns-plan.ts";
import { type CheckResult, checking } from "./check-result.ts";

export interface HostCheckDeps {
  resolver: Resolver;
  plan: DnsPlan;
  delivery: "relay" | "direct";
}

export interface HostFindings {
  results: CheckResult[];
  addresses: readonly string[];
}

export async function checkMailHost(deps: HostCheckDeps): Promise<HostFindings> {
  const { plan, resolver } = deps;
  const addresses = await addressesOf(plan.mailHost, resolver);
  const reverse = await Promise.all((addresses ?? []).map((address) => checkReverseName(address, deps)));
  const results = [checkAddresses(plan.mailHost, addresses), ...reverse, ...(await checkSmtpHost(addresses, deps))];
  return { results, addresses: addresses ?? [] };
}

/** IPv4 and IPv6 addresses of a host. @returns `null` when DNS did not answer */
async function addressesOf(host: string, resolver: Resolver): Promise<string[] | null> {
  const answers = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)]);
  if (answers.some((it) => it.kind === "failed")) return null;
  return answers.flatMap((it) => (it.kind === "found" ? it.records : []));
}

function checkAddresses(mailHost: string, addresses: readonly string[] | null): CheckResult {
  const { ok, warn, fix } = checking("address", mailHost);
  if (addresses === null) return fix("DNS gave no answer: check its name servers, and KAUKE_DNS_SERVERS.");
  if (addresses.length === 0) return fix("The mail host has no address, so no mail arrives: publish its A record.");
  if (!addresses.every(isPublicAddress))
    return warn(`Not every address is public (${addresses.join(", ")}): other hosts can't reach those.`);
  return ok(`Its addresses are ${addresses.join(" and ")}.`);
}

async function checkReverseName(address: string, { resolver, plan, delivery }: HostCheckDeps): Promise<CheckResult> {
  const { ok, warn, fix } = checking("reverse-name", address);
  const answer = await resolver.resolvePtr(reverseName(address));
  if (answer.kind === "failed") return warn("DNS gave no answer about the reverse name: run this again later.");
  const names = answer.kind === "found" ? answer.records.map((it) => it.toLowerCase().replace(/\.$/, "")) : [];
  if (names.includes(plan.mailHost)) return ok(`Its reverse name is ${plan.mailHost}.`);
  const advice = `Its reverse name is not ${plan.mailHost}: set it at the provider of the address (the hosting company).`;
  return delivery === "relay" ? warn(`${advice} With a relay that matters little.`) : fix(advice);
}

async function checkSmtpHost(
  expected: readonly string[] | null,
  { resolver, plan }: HostCheckDeps,
): Promise<CheckResult[]> {
  if (plan.smtpHost === plan.mailHost) return [];
  const { ok, fix } = checking("address", plan.smtpHost);
  const found = await addressesOf(plan.smtpHost, resolver);
  if (found === null) return [fix("DNS gave no answer: check its name servers, and KAUKE_DNS_SERVERS.")];
  const isSame = found.length > 0 && found.every((it) => expected?.includes(it));
  return [
    isSame
      ? ok("The host name for mail programs resolves to the mail host.")
      : fix("Mail programs use this name, and it does not resolve to the mail host: publish its CNAME."),
  ];
}
