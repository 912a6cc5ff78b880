/** Whom the caps and limits per client count as one. Concurrent connections count by network, what comes over time by block. */

/**
 * An IPv4 address, or an IPv6 /64, since that is the least a customer is given.
 * @param address as a socket tells it @returns e.g. `192.0.2.1`, `2001:db8:1:2`
 */
export function clientNetwork(address: string): string {
  const plain = withoutMapping(address);
  return plain.includes(":") ? groups(plain, 4) : plain;
}

/**
 * An IPv4 /24 or an IPv6 /48: the least that is announced on the internet, and what one who rents addresses cheaply can have.
 * By a single address or a /64 the same sender would have 256 or 65,536 times every limit.
 * @param address as a socket tells it @returns e.g. `192.0.2`, `2001:db8:1`
 */
export function clientBlock(address: string): string {
  const plain = withoutMapping(address);
  return plain.includes(":") ? groups(plain, 3) : plain.slice(0, Math.max(0, plain.lastIndexOf(".")));
}

const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

function groups(address: string, count: number): string {
  const [head = "", tail = ""] = (address.split("%", 1)[0] as string).split("::");
  const [left, right] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return [...left, ...zeros, ...right]
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(":");
}

const groupsOf = (text: string): number[] => (text === "" ? [] : text.split(":").map((it) => Number.parseInt(it, 16)));
