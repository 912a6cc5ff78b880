/** Whom the caps per client count as one: an IPv4 address, or an IPv6 /64, since that is the least a customer is given. */

/** @param address as a socket tells it @returns e.g. `192.0.2.1`, `2001:db8:1:2` */
export function clientNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail = ""] = (plain.split("%", 1)[0] as string).split("::");
  const [left, right] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

const groupsOf = (text: string): number[] => (text === "" ? [] : text.split(":").map((it) => Number.parseInt(it, 16)));
