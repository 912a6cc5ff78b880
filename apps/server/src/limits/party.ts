/** Parties that limits count: a client's network (one customer) and block (one announced range), a host's domain. */
import { isDnsName } from "@kauke/mail-rfc";
import { getDomain } from "tldts";

/** A client's network and block; never stored or logged in clear. */
export interface ClientParty {
  /** One IPv4 address or IPv6 /64. */
  network: string;
  /** One IPv4 /24 or IPv6 /48. */
  block: string;
}

/** @param address IP address as a socket or proxy reports it, e.g. `::ffff:192.0.2.1` */
export const clientParty = (address: string): ClientParty => ({
  network: clientNetwork(address),
  block: clientBlock(address),
});

/** @returns an IPv4 address or IPv6 /64, e.g. `192.0.2.1`, `2001:db8:1:2`; `unknown` for what is no IP address */
export const clientNetwork = (address: string): string => networkPart(address, { v4: 4, v6: 4 });

/** One IPv4 /24 or IPv6 /48, e.g. `192.0.2`, `2001:db8:1`; else as `clientNetwork`. */
export const clientBlock = (address: string): string => networkPart(address, { v4: 3, v6: 3 });

/** False for unknown, loopback, link-local and private blocks: everybody behind a proxy may come from one. */
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

/** Registrable domain, private suffixes included: `example.co.uk` for `mx.example.co.uk`; `null` without one. */
export function registrableDomain(host: string): string | null {
  // The library's own host name rules refuse labels such as `-a`, so one domain could count as many.
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return isDnsName(host) ? getDomain(host, options) : null;
}

/** @example `example.org` for `mx.example.org`; `2.0.192.in-addr.arpa`, the block, for a reverse name */
export function zoneOf(name: string): string {
  const labels = name.split(".");
  if (labels.at(-1) === "arpa") return labels.slice(labels.at(-2) === "ip6" ? -14 : -5).join(".");
  return registrableDomain(name) ?? name;
}

/** Mail host domains and the main domain of the same provider. */
const SAME_PROVIDER: Readonly<Record<string, string>> = {
  "googlemail.com": "google.com",
  "mx.microsoft": "outlook.com",
  "hotmail.com": "outlook.com",
};

/** The provider that runs a mail host: `google.com` for `alt1.aspmx.l.google.com`. @param hostName lower case, ASCII */
export function providerOf(hostName: string): string {
  const name = registrableDomain(hostName) ?? hostName;
  return SAME_PROVIDER[name] ?? name;
}
