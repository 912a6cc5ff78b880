/**
 * Whom a request counts against. `X-Forwarded-For` is believed only from the proxies in `KAUKE_TRUSTED_PROXIES`; an IPv6
 * client is its /64, since everybody at home has that many addresses.
 */
import { BlockList, isIP, SocketAddress } from "node:net";
import type { FastifyRequest } from "fastify";

/** @param cidrs e.g. `["10.0.0.0/8", "::1"]` @throws Error at start when one is no address or network */
export function trustedProxyCheck(cidrs: readonly string[]): false | ((address: string) => boolean) {
  if (cidrs.length === 0) return false;
  const trusted = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    const family = familyOf(network);
    if (family === null) throw new Error("KAUKE_TRUSTED_PROXIES holds something that is no network");
    trusted.addSubnet(network, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && trusted.check(address, family);
  };
}

/** @returns an IPv4 address, or the first 64 bits of an IPv6 address, e.g. `2001:db8:0:7::/64` */
export function clientAddress(request: FastifyRequest): string {
  const address = familyOf(request.ip) === null ? (request.socket.remoteAddress ?? "") : request.ip;
  return addressGroup(address);
}

export function addressGroup(address: string): string {
  const family = familyOf(address);
  if (family !== "ipv6") return family === null ? "unknown" : address;
  const canonical = new SocketAddress({ address: address.split("%")[0] ?? "", family }).address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical);
  return mapped?.[1] ?? `${expand(canonical).slice(0, 4).join(":")}::/64`;
}

function expand(canonical: string): string[] {
  const [head = [], tail] = canonical.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  if (tail === undefined) return head;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail];
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}
