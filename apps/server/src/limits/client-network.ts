/**
 * The network and the block of a client address, by which limits count clients. A network is the smallest range that a
 * provider assigns to one customer. A block is the smallest range announced on the internet, and anybody can rent one
 * cheaply: if limits counted networks alone, the owner of a block would have 256 (IPv4 /24) or 65,536 (IPv6 /48) times
 * the limit. Pure.
 */

/** The two ranges that a connection counts against. Compared as text; never stored or logged in clear. */
export interface ClientParty {
  /** One IPv4 address or one IPv6 /64, as `clientNetwork` writes it. */
  network: string;
  /** One IPv4 /24 or one IPv6 /48, as `clientBlock` writes it. */
  block: string;
}

/** Network and block of a client. @param address IP address as a socket or proxy reports it, e.g. `::ffff:192.0.2.1` */
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

/**
 * The block of a client: one IPv4 /24 or one IPv6 /48.
 * @param address IP address as a socket reports it, or a network that `clientNetwork` returned
 * @returns e.g. `192.0.2`, `2001:db8:1`; `unknown` if `address` is not an IP address
 */
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
