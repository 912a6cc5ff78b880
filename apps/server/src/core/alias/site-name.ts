/** Derives the first part of a generated alias name from the host name of a website. */
import { domainToUnicode } from "node:url";
import { generatedNames, limits } from "@kauke/contract";

/**
 * Extracts the host name from a text that a client sent.
 * @returns host name in lower case, e.g. `www.shop.example`; `null` if the text is neither a host name nor a URL
 */
export async function siteHost(hostname: string): Promise<string | null> {
  if (hostname.length > limits.webhookUrlMax) return null;
  const { getHostname } = await import("tldts");
  return getHostname(hostname) || null;
}

/**
 * Reduces the registrable domain of a host, without its public suffix, to characters that are allowed in an alias name.
 * @param hostname host name or URL, e.g. `https://www.Café-Noir.co.uk/menu`
 * @returns e.g. `cafe-noir`; `null` if nothing is left, and for IP addresses and hosts without a public suffix
 */
export async function siteName(hostname: string): Promise<string | null> {
  const host = await siteHost(hostname);
  if (host === null) return null;
  const { parse } = await import("tldts");
  const { domainWithoutSuffix, isIp } = parse(host, { allowPrivateDomains: true });
  if (isIp || !domainWithoutSuffix) return null;
  const plain = domainToUnicode(domainWithoutSuffix).normalize("NFKD").toLowerCase();
  const cut = plain.replaceAll(/[^a-z0-9-]/g, "").slice(0, generatedNames.site.nameMax);
  return cut.replaceAll(/^-+|-+$/g, "") || null;
}
