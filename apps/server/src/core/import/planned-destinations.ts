import { type Destination, limits, parseForwardTo } from "@kauke/contract";
import { asciiDomainOf } from "@kauke/mail-rfc";

export interface DestinationRules {
  ownDomains: readonly string[];
  /** For rows without a destination; `null` when the account has no confirmed mailbox. */
  fallback: string | null;
}

export interface PlannedDestinations {
  destinations: Destination[];
  /** What differs from the file's destinations, as a sentence. */
  remark: string | null;
}

/** Distinct destinations of an import, up to `limits.importDestinationsMax`. */
export class DestinationSet {
  readonly #seen = new Set<string>();

  /** False, with nothing added, if the set would become too large. */
  add(destinations: readonly Destination[]): boolean {
    const keys = destinations.map(keyOf).filter((key) => !this.#seen.has(key));
    if (this.#seen.size + keys.length > limits.importDestinationsMax) return false;
    for (const key of keys) this.#seen.add(key);
    return true;
  }
}

const keyOf = (it: Destination) => (it.kind === "mailbox" ? it.address.toLowerCase() : it.url);

/** `null` if a row has no usable destination and the account no fallback. */
export function planDestinations(
  texts: readonly string[],
  { ownDomains, fallback }: DestinationRules,
): PlannedDestinations | null {
  const read = new Map<string, Destination>();
  let isLess = false;
  for (const text of texts) {
    const [destination] = (text.includes(",") ? null : parseForwardTo(text)) ?? [];
    const isOwn = destination?.kind === "mailbox" && ownDomains.includes(asciiDomainOf(destination.address));
    if (destination === undefined || isOwn || read.size >= limits.destinationsMax) isLess = true;
    else read.set(keyOf(destination), destination);
  }
  const destinations = [...read.values()];
  if (destinations.length > 0)
    return {
      destinations,
      remark: isLess ? "Some destinations of the file can't be used here and are left out." : null,
    };
  if (fallback === null) return null;
  const remark =
    texts.length === 0
      ? "The file names no destination, so it forwards to your default mailbox."
      : "The file's destinations can't be used here, so it forwards to your default mailbox.";
  return { destinations: [{ kind: "mailbox", address: fallback }], remark };
}
