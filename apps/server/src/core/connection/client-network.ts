/**
 * The network and the block of a client address, which limits count by. A network is the smallest range that a provider gives one
 * customer. A block is the smallest range announced on the internet, and anybody can rent one cheaply: with limits by network
 * alone, whoever holds a block has 256 times (IPv4 /24) or 65,536 times (IPv6 /48) the limit. Pure.
 */

/** The two ranges that a connection counts against. Compared as text, never stored or logged in clear. */
export interface ClientParty {
  /** One IPv4 address or one IPv6 /64, as `clientNetwork` writes it. */
  network: string;
  /** One IPv4 /24 or one IPv6 /48, as `clientBlock` writes it. */
  block: string;
}

/** @param address as a socket or a proxy tells it, e.g. `::ffff:192.0.2.1` */
export const clientParty = (address: string): ClientParty => ({
  network: clientNetwork(address),
  block: clientBlock(address),
});

/**
 * @param address as a socket tells it, or a network that this function made
 * @returns e.g. `192.0.2.1`, `2001:db8:1:2`; `unknown` for what is no address
 */
export const clientNetwork = (address: string): string => networkPart(address, { v4: 4, v6: 4 });

/** @param address as above, or a network @returns e.g. `192.0.2`, `2001:db8:1`; `unknown` for what is no address */
export const clientBlock = (address: string): string => networkPart(address, { v4: 3, v6: 3 });

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

const groupsOf = (text: string): number[] => (text === "" ? [] : text.split(":").map((it) => Number.parseInt(it, 16)));
