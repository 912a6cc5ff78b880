/**
 * The parties that limits count by. Of a client: its network, the smallest range that a provider assigns to one
 * customer, and its block, the smallest range announced on the internet. Blocks are cheap to rent, and the owner of one
 * has 256 (IPv4) or 65,536 (IPv6) networks. Of a host name: the domain that somebody registered, and the provider.
 */
import { isDnsName } from "@kauke/mail-rfc";
import { getDomain } from "tldts";

/** The two ranges that a connection counts against. Compared as text; never stored or logged in clear. */
export interface ClientParty {
  /** One IPv4 address or one IPv6 /64, as `clientNetwork` writes it. */
  network: string;
  /** One IPv4 /24 or one IPv6 /48, as `clientBlock` writes it. */
  block: string;
}

/** @param address IP address as a socket or proxy reports it, e.g. `::ffff:192.0.2.1` */
export const clientParty = (address: string): ClientParty => ({
  network: clientNetwork(address),
  block: clientBlock(address),
});

/**
 * The network of a client: one IPv4 address or one IPv6 /64.
 * @param address IP address as a socket reports it, or a network that this function returned
 * @returns e.g. `192.0.2.1`, `2001:db8:1:2`; `unknown` if `address` is not an IP address
 */
export const clientNetwork = (address: string): string => networkPart(address, { v4: 4, v6: 4 });

/** The block of a client: one IPv4 /24 or one IPv6 /48, e.g. `192.0.2`, `2001:db8:1`; else as `clientNetwork`. */
export const clientBlock = (address: string): string => networkPart(address, { v4: 3, v6: 3 });

/**
 * Whether a block belongs to customers of one provider, and is not unknown, loopback, link-local or private: everybody
 * behind a proxy may come from one of those.
 * @param block what `clientBlock` returned
 */
export const isPublicBlock = (block: string): boolean => !NOT_PUBLIC.test(block);

const NOT_PUBLIC =
  /^(?:unknown$|0\.|10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0:0:0$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/;

export const isIpv6Network = (network: string): boolean => network.includes(":");

const IPV4 = /^(?:::ffff:)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/i;

function networkPart(address: string, kept: { v4: number; v6: number }): string {
  const bytes = IPV4.exec(address);
  if (bytes !== null) return bytes.slice(1, 1 + kept.v4).join(".");
  return address.includes(":") ? ipv6Groups(address, kept.v6) : "unknown";
}

function ipv6Groups(address: string, count: number): string {
  const [head = "", tail = ""] = (address.split("%", 1)[0] ?? "").split("::");
  const [left, right] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return [...left, ...zeros, ...right]
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(":");
}

const groupsOf = (text: string): number[] =>
  text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));

/**
 * The domain that somebody registered, by the public suffix list with its private part.
 * @param host A-labels in lower case, without the final dot
 * @returns e.g. `example.co.uk` for `mx.example.co.uk`; `null` for a public suffix, a single label, an IP address, and
 * what is no DNS name
 */
export function registrableDomain(host: string): string | null {
  // The library's own rules for host names refuse labels such as `-a`, by which one domain could count as many.
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return isDnsName(host) ? getDomain(host, options) : null;
}

/**
 * The party of a DNS name: its registrable domain, or the block of a reverse name.
 * @returns e.g. `example.org` for `mx.example.org`, `2.0.192.in-addr.arpa` for an IPv4 address
 */
export function zoneOf(name: string): string {
  const labels = name.split(".");
  if (labels.at(-1) === "arpa") return labels.slice(labels.at(-2) === "ip6" ? -14 : -5).join(".");
  return registrableDomain(name) ?? name;
}

/** Domains of mail hosts, each with the main domain of the same provider. */
const SAME_PROVIDER: Readonly<Record<string, string>> = {
  "googlemail.com": "google.com",
  "mx.microsoft": "outlook.com",
  "hotmail.com": "outlook.com",
};

/**
 * The provider that runs a mail host, which may serve any number of domains.
 * @param hostName lower case, ASCII
 * @returns e.g. `google.com` for `alt1.aspmx.l.google.com`, `example.co.uk` for `mx.example.co.uk`
 */
export function providerOf(hostName: string): string {
  const name = registrableDomain(hostName) ?? hostName;
  return SAME_PROVIDER[name] ?? name;
}
