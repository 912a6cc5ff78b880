/** Which of the messages kept for the operator give way when there are too many: the oldest of whoever has sent most. Pure. */
export interface KeptMail<Id> {
  id: Id;
  sizeBytes: number;
  /** Keyed hashes, or any other text that tells them apart. */
  network: string;
  block: string;
}

interface Bounds {
  maxMessages: number;
  maxBytes: number;
}

/**
 * What a message takes of both bounds together counts for its network and its block. Of the block that holds most the network
 * that holds most gives up its oldest, until the rest fits.
 * @param kept oldest first @returns ids, in the order in which they leave
 */
export function whoGivesWay<Id>(kept: readonly KeptMail<Id>[], { maxMessages, maxBytes }: Bounds): Id[] {
  const weigh = ({ sizeBytes }: KeptMail<Id>) => 1 / maxMessages + sizeBytes / maxBytes;
  let left = [...kept];
  let bytes = left.reduce((sum, it) => sum + it.sizeBytes, 0);
  const leaving: Id[] = [];
  while (left.length > maxMessages || bytes > maxBytes) {
    const block = heaviest(left, (it) => it.block, weigh);
    const inBlock = left.filter((it) => it.block === block);
    const network = heaviest(inBlock, (it) => it.network, weigh);
    const oldest = inBlock.find((it) => it.network === network);
    if (oldest === undefined) break;
    left = left.filter((it) => it !== oldest);
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
