import { networkInterfaces } from "node:os";
import { providerProblems } from "@kauke/contract/provider-problems";
import { type DnsRecord, dmarcReportConsent, zoneLine } from "@kauke/mail-rfc";
import { clientSettingsHosts, policyHost } from "../../core/certificate.ts";
import { isPublicAddress } from "../../mail/transport/address-guard.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import type { ProviderState } from "../control/provider-reports.ts";
import { type DnsPlan, dnsPlan } from "../dns-plan.ts";
import { providerDomainPage, providerRecords } from "../provider-records.ts";
import { type Command, jsonText, print } from "./command.ts";

export const domains: Command = {
  usage: "domains",
  about: "the DNS records to publish, as a zone file; with a forwarding provider, where it lists them",
  options: {},
  async run({ access, values }) {
    const calls = await access();
    const state = await calls["provider-state"]({});
    if (state !== null) return print(values.json === true ? jsonText(state.domains) : providerDomainsText(state));
    const facts = await calls.facts({});
    return print(values.json === true ? jsonText(dnsPlan(facts)) : domainsText(facts, publicAddresses(facts)));
  },
};

/** Records that are known from the provider's API or sources; its page lists those for sending, and all of a self-hosted one. */
export function providerDomainsText(state: ProviderState): string {
  const { name, problem, domains } = state;
  const url = new URL(state.url);
  return [
    `; ${name} receives and sends the mail of these domains, so they need its records instead of ours.`,
    ...(problem === null ? [] : [`; They could not be read now: ${providerProblems[problem]}.`]),
    ...domains.flatMap(({ domain, found }) => [
      "",
      `; ${domain}`,
      ...(found === null
        ? ["; The account there does not have this domain yet: `kauke setup` adds it."]
        : providerRecords(found, url).map((one) => zoneLine(one))),
      `; ${pageText(url, domain)} lists all records, also those for sending.`,
    ]),
    "",
  ].join("\n");
}

const pageText = (url: URL, domain: string) => providerDomainPage(url, domain) ?? "The provider's page for the domain";

/** Public IP addresses of this machine; empty behind network address translation. */
function publicAddresses({ host }: ServerFacts): string[] {
  if (isPublicAddress(host)) return [host];
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return all.filter((one) => !one.internal && isPublicAddress(one.address)).map((one) => one.address);
}

/** Zone file of all domains of this server. @param addresses public IP addresses of this machine, if known */
export function domainsText(facts: ServerFacts, addresses: readonly string[]): string {
  const plan = dnsPlan(facts);
  const aliasesOf = (name: string) => plan.aliases.filter((one) => one.name === name);
  return [
    ...hostLines(plan, addresses),
    ...plan.domains.flatMap(({ domain, records }) => [
      "",
      `; ${domain}`,
      ...relayNote(facts),
      ...records.map((one) => zoneLine(one)),
      ...consentNote(domain, facts),
      ...[policyHost(domain), ...(facts.pop3sPort === null ? [] : clientSettingsHosts(domain))].flatMap((name) =>
        aliasOrNote(aliasesOf(name), name),
      ),
    ]),
    "",
    ...policyNote(plan),
    ...(facts.pop3sPort === null ? [] : programsNote),
    "",
  ].join("\n");
}

function hostLines(plan: DnsPlan, addresses: readonly string[]): string[] {
  const { mailHost, smtpHost } = plan;
  const records = addresses.map((address): DnsRecord => addressRecord(mailHost, address));
  const known = records.length > 0;
  return [
    "; The mail host: the public addresses at which this machine receives mail and from which it sends.",
    ...(known ? records.map((one) => zoneLine(one)) : placeholders(mailHost)),
    `; At the provider of these addresses (the hosting company), set their reverse name to ${mailHost}`,
    ...plan.mailHostRecords.map((one) => zoneLine(one)),
    ...plan.aliases.filter((one) => one.name === smtpHost).map((one) => zoneLine(one)),
  ];
}

function addressRecord(name: string, address: string): DnsRecord {
  return { type: address.includes(":") ? "AAAA" : "A", name, address };
}

function placeholders(name: string): string[] {
  return [`; ${name}. 3600 IN A <public IPv4 address>`, `; ${name}. 3600 IN AAAA <public IPv6 address, if any>`];
}

function relayNote({ delivery }: ServerFacts): string[] {
  if (delivery !== "relay") return [];
  return ["; With a relay, add the mechanism its operator names to the SPF record, e.g. include:… before -all."];
}

function consentNote(domain: string, { dmarcReports }: ServerFacts): string[] {
  const record = dmarcReports === null ? null : dmarcReportConsent(domain, dmarcReports);
  if (record === null) return [];
  return [
    "; The domain that receives the DMARC reports must publish its consent in its own zone:",
    `; ${zoneLine(record)}`,
  ];
}

function aliasOrNote(aliases: readonly DnsRecord[], name: string): string[] {
  return aliases.length > 0
    ? aliases.map((one) => zoneLine(one))
    : [`; ${name}. 3600 IN CNAME <name of the web app's host; set KAUKE_PUBLIC_URL to it>`];
}

const programsNote = [
  "; Mail programs find their settings at autoconfig.<domain> and autodiscover.<domain>, over https with a certificate",
  "; valid for that name. Without these records people enter host and port themselves.",
];

function policyNote({ policy }: DnsPlan): string[] {
  return [
    "; MTA-STS: for each domain https://mta-sts.<domain>/.well-known/mta-sts.txt must answer over https with a",
    "; certificate valid for that name. Kauke's HTTP port serves it; the proxy must forward the host name. The file:",
    ...policy
      .trimEnd()
      .split("\r\n")
      .map((line) => `;   ${line}`),
  ];
}
