/**
 * The client that a request counts against. `X-Forwarded-For` is used only from the proxies in `KAUKE_TRUSTED_PROXIES`;
 * core/connection/client-network.ts defines which addresses are one client.
 */
import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { clientNetwork } from "../../core/connection/client-network.ts";

/**
 * @param cidrs addresses or networks of trusted proxies, e.g. `["10.0.0.0/8", "::1"]`
 * @throws Error at start when one is neither
 */
export function trustedProxyCheck(cidrs: readonly string[]): false | ((address: string) => boolean) {
  if (cidrs.length === 0) return false;
  const trusted = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", prefix] = cidr.split("/");
    const family = familyOf(network);
    if (family === null) throw new Error("KAUKE_TRUSTED_PROXIES contains something that is not a network");
    trusted.addSubnet(network, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && trusted.check(address, family);
  };
}

/**
 * Network of the client that a request counts against.
 * @returns e.g. `192.0.2.7`, `2001:db8:0:7`; `unknown` if the client has no IP address
 */
export function clientAddress(request: FastifyRequest): string {
  const address = familyOf(request.ip) === null ? (request.socket.remoteAddress ?? "") : request.ip;
  return clientNetwork(address);
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}
