/** What a domain needs in DNS so that a forwarding provider takes its mail, and where the provider shows it. */
import { domainToUnicode } from "node:url";
import type { DnsRecord } from "@kauke/mail-rfc";
import type { ProviderDomain } from "../core/forwarding/provider-account.ts";
import { forwardEmail } from "../settings/read-config.ts";

/** Of the public service only (`SMTP_EXCHANGE_DOMAINS` in its sources). It accepts no other MX beside them. */
const publicMailHosts = ["mx1.forwardemail.net", "mx2.forwardemail.net"] as const;
const PREFERENCE = 10;

/** `null` for a self-hosted copy: its hosts are its operator's choice, and its API does not tell them. */
export function providerMailHosts(url: URL): readonly string[] | null {
  return url.origin === forwardEmail ? publicMailHosts : null;
}

/** Empty for a self-hosted copy, whose page of the domain shows them. */
export function providerRecords(
  { domain, verificationRecord }: Pick<ProviderDomain, "domain" | "verificationRecord">,
  url: URL,
): DnsRecord[] {
  const hosts = providerMailHosts(url);
  if (hosts === null) return [];
  const mx = hosts.map((exchange): DnsRecord => ({ type: "MX", name: domain, preference: PREFERENCE, exchange }));
  const text = `forward-email-site-verification=${verificationRecord}`;
  return verificationRecord === null ? mx : [...mx, { type: "TXT", name: domain, text }];
}

/** The provider's web app is at the API's name without `api.`. @returns `null` when that can't be known */
export function providerDomainPage(url: URL, domain: string): string | null {
  if (!url.hostname.startsWith("api.")) return null;
  const web = new URL(`/my-account/domains/${domainToUnicode(domain)}`, url);
  web.hostname = url.hostname.slice("api.".length);
  return web.href;
}
