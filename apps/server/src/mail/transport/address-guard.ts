/** SSRF guard: public addresses and `KAUKE_WEBHOOK_ALLOW` only, checked in the look-up that the connection uses. */
import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, type RequestOptions, request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { AppError } from "../../core/app-error.ts";
import type { Resolver } from "../dns/resolver.ts";

// IANA special-purpose registries. A list per family: a shared one would match IPv4 against `::ffff:0:0/96`. Only
// 2000::/3 is in use for IPv6, which excludes mapped, NAT64, link-local and unique-local addresses.
const special = { 4: new BlockList(), 6: new BlockList() };
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  special[4].addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  special[6].addSubnet(net, bits, "ipv6");

/** @param address without brackets; anything that is no IP address is not public */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes("%")) return false;
  return family === 4 ? !special[4].check(address, "ipv4") : !special[6].check(address, "ipv6");
}

export interface AllowList {
  hasHost(host: string, port: number): boolean;
  hasAddress(address: string, port: number): boolean;
}

type AllowEntry =
  | { kind: "network"; family: number; list: BlockList; port: number | null }
  | { kind: "host"; host: string; port: number | null };

const HOST = /^(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
const WITH_PORT = /^(\[[^\]]+\]|[^:[\]]+):([0-9]{1,5})$/;

/** @param entries e.g. `hooks.lan`, `10.0.0.0/8`, `[::1]:8080` @throws AppError `invalid` rather than skip an entry */
export function parseAllowList(entries: readonly string[]): AllowList {
  const read = entries.map(readEntry);
  const hasAddress = (address: string, port: number) => read.some((entry) => coversAddress(entry, address, port));
  return {
    hasHost: (host, port) => {
      const name = plainHost(host);
      if (isIP(name) !== 0) return hasAddress(name, port);
      return read.some((entry) => entry.kind === "host" && entry.host === name && (entry.port ?? port) === port);
    },
    hasAddress,
  };
}

function readEntry(text: string): AllowEntry {
  const [, hostPart, portPart] = WITH_PORT.exec(text) ?? [];
  const port = portPart === undefined ? null : Number(portPart);
  const host = plainHost(hostPart ?? text);
  const [base = "", bits, ...rest] = host.split("/");
  const family = isIP(base);
  const width = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits);
  const isNetwork = family !== 0 && rest.length === 0 && /^[0-9]{0,3}$/.test(bits ?? "") && bits !== "";
  if (port !== null && port > 65535) throw new AppError("invalid");
  if (isNetwork && width <= (family === 4 ? 32 : 128)) {
    const list = new BlockList();
    list.addSubnet(base, width, family === 4 ? "ipv4" : "ipv6");
    return { kind: "network", family, list, port };
  }
  if (family !== 0 || !HOST.test(host)) throw new AppError("invalid");
  return { kind: "host", host, port };
}

function coversAddress(entry: AllowEntry, address: string, port: number): boolean {
  if (entry.kind !== "network" || (entry.port ?? port) !== port) return false;
  return entry.family === isIP(address) && entry.list.check(address, entry.family === 4 ? "ipv4" : "ipv6");
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** Checks scheme, port, credentials and literal address; URL parsing has turned `0x7f000001` etc. into addresses. */
export function isCallableUrl(url: URL, allow: AllowList): boolean {
  const port = portOf(url);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return false;
  if (allow.hasHost(url.hostname, port)) return true;
  if (port !== 80 && port !== 443 && port <= 1023) return false;
  const host = plainHost(url.hostname);
  if (host === "localhost" || host.endsWith(".localhost")) return false;
  return isIP(host) === 0 || isPublicAddress(host);
}

export class LookupRefused extends Error {
  override name = "LookupRefused";
  readonly reason: "address_not_allowed" | "dns_failed";
  constructor(reason: "address_not_allowed" | "dns_failed") {
    super(reason);
    this.reason = reason;
  }
}

export interface GuardedRequestRules {
  resolver: Resolver;
  allow: AllowList;
  ca?: string | undefined;
}

interface GuardedRequestOptions extends Pick<RequestOptions, "method" | "timeout"> {
  headers?: Record<string, string | number>;
  /** Called with an address before connecting. @returns an error that ends the request */
  onAddress?: (address: string) => Error | null;
}

// No keep-alive: our own limits count the sockets, and an agent's queue would favour whoever makes most calls.
const agents = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };

/** A request on a new connection, whose addresses are checked as they are looked up. Follows no redirects. */
export function guardedRequest(
  url: URL,
  { resolver, allow, ca }: GuardedRequestRules,
  { headers, onAddress = () => null, ...options }: GuardedRequestOptions,
): ClientRequest {
  const guarded = guardedLookup(resolver, allow, portOf(url));
  const lookup: LookupFunction = (hostname, of, callback) =>
    guarded(hostname, of, (error, address, family) => {
      const [first] = Array.isArray(address) ? address.map((found) => found.address) : [address];
      callback(error ?? (first === undefined ? null : onAddress(first)), address, family);
    });
  const isSecure = url.protocol === "https:";
  return (isSecure ? requestHttps : requestHttp)(url, {
    ...options,
    agent: isSecure ? agents.https : agents.http,
    lookup,
    ca,
    headers: { ...headers, "user-agent": "Kauke" },
  });
}

/** A `lookup` for one connection, which refuses a name when ANY of its addresses is neither public nor allowed. */
export function guardedLookup(resolver: Resolver, allow: AllowList, port: number): LookupFunction {
  return (hostname, options, callback) => {
    void resolveGuarded(hostname, { resolver, allow, port }).then((found) => {
      if (typeof found === "string") return callback(new LookupRefused(found), "", 0);
      const wanted =
        options.family === 4 || options.family === 6 ? found.filter(({ family }) => family === options.family) : found;
      const [first] = wanted;
      if (first === undefined) return callback(new LookupRefused("dns_failed"), "", 0);
      if (options.all) callback(null, wanted);
      else callback(null, first.address, first.family);
    });
  };
}

interface Found {
  address: string;
  family: 4 | 6;
}

async function resolveGuarded(
  hostname: string,
  { resolver, allow, port }: { resolver: Resolver; allow: AllowList; port: number },
): Promise<Found[] | LookupRefused["reason"]> {
  const found = await addressesOf(plainHost(hostname), resolver);
  if (found.length === 0) return "dns_failed";
  const isGood = ({ address }: Found) => isPublicAddress(address) || allow.hasAddress(address, port);
  return allow.hasHost(hostname, port) || found.every(isGood) ? found : "address_not_allowed";
}

async function addressesOf(name: string, resolver: Resolver): Promise<Found[]> {
  // RFC 6761 §6.3: localhost must not be looked up in the DNS.
  if (name === "localhost" || name.endsWith(".localhost"))
    return [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
  const [four, six] = await Promise.all([resolver.resolve4(name), resolver.resolve6(name)]);
  return [
    ...(four.kind === "found" ? four.records.map((address) => ({ address, family: 4 as const })) : []),
    ...(six.kind === "found" ? six.records.map((address) => ({ address, family: 6 as const })) : []),
  ];
}
