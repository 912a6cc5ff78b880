/**
 * Which messages kept for the operator are evicted when there are too many: the oldest of the network that sent most.
 * Pure.
 */
export interface KeptMail<Id> {
  id: Id;
  sizeBytes: number;
  /** Keyed hash of the sender's network (IPv4 address or IPv6 /64), in hexadecimal; empty if unknown. */
  network: string;
  /** Keyed hash of the sender's block (IPv4 /24 or IPv6 /48), in hexadecimal; empty if unknown. */
  block: string;
}

interface Bounds {
  maxMessages: number;
  maxBytes: number;
}

/**
 * A message weighs its share of `maxMessages` plus its share of `maxBytes`. While a bound is exceeded, the heaviest
 * network of the heaviest block loses its oldest message.
 * @param kept oldest first
 * @returns ids in the order of eviction
 */
export function chooseEvicted<Id>(kept: readonly KeptMail<Id>[], { maxMessages, maxBytes }: Bounds): Id[] {
  const weigh = ({ sizeBytes }: KeptMail<Id>) => 1 / maxMessages + sizeBytes / maxBytes;
  let left = [...kept];
  let bytes = left.reduce((sum, mail) => sum + mail.sizeBytes, 0);
  const leaving: Id[] = [];
  while (left.length > maxMessages || bytes > maxBytes) {
    const block = heaviest(left, (mail) => mail.block, weigh);
    const inBlock = left.filter((mail) => mail.block === block);
    const network = heaviest(inBlock, (mail) => mail.network, weigh);
    const oldest = inBlock.find((mail) => mail.network === network);
    if (oldest === undefined) break;
    left = left.filter((mail) => mail !== oldest);
    bytes -= oldest.sizeBytes;
    leaving.push(oldest.id);
  }
  return leaving;
}

function heaviest<T>(all: readonly T[], keyOf: (it: T) => string, weigh: (it: T) => number): string | null {
  const weights = new Map<string, number>();
  for (const it of all) weights.set(keyOf(it), (weights.get(keyOf(it)) ?? 0) + weigh(it));
  let [most, found]: [number, string | null] = [0, null];
  for (const [key, weight] of weights) if (weight > most) [most, found] = [weight, key];
  return found;
}
