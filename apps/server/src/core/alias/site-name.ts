/** Derives the first part of a generated alias name from the host name of a website. */
import { domainToUnicode } from "node:url";
import { generatedNames, limits } from "@kauke/contract";
import { readDnsName } from "@kauke/mail-rfc";
import { getHostname } from "tldts";
import { registrableDomain } from "../registrable-domain.ts";

/**
 * Extracts the host name from a text that a client sent.
 * @returns host name in lower case, e.g. `www.shop.example`; `null` if the text is neither a host name nor a URL
 */
export function siteHost(hostname: string): string | null {
  return hostname.length > limits.webhookUrlMax ? null : getHostname(hostname) || null;
}

/**
 * Reduces the registrable domain of a host, without its public suffix, to characters that are allowed in an alias name.
 * @param hostname host name or URL, e.g. `https://www.Café-Noir.co.uk/menu`
 * @returns e.g. `cafe-noir`; `null` if nothing is left, and for IP addresses and hosts without a public suffix
 */
export function siteName(hostname: string): string | null {
  const host = readDnsName(siteHost(hostname) ?? "");
  const [label = ""] = (host === null ? null : registrableDomain(host))?.split(".") ?? [];
  const plain = domainToUnicode(label).normalize("NFKD").toLowerCase();
  const cut = plain.replaceAll(/[^a-z0-9-]/g, "").slice(0, generatedNames.site.nameMax);
  return cut.replaceAll(/^-+|-+$/g, "") || null;
}
