/**
 * Host names of clients, for the Received field: the reverse name of an address, provided that the name resolves to
 * that address (FCrDNS, RFC 8601 §3). Spam filters penalize mail whose client has none. A name that is not known in
 * time is `null`.
 *
 * Names are cached for ten minutes, failures for one, with a share of the cache for each block of addresses. Pending
 * DNS look-ups are bounded in total and per block, so that a network with an unresponsive name server can't exhaust the
 * resolver, which the checks of messages need.
 */
import { isIP } from "node:net";
import { reverseName } from "@kauke/mail-rfc";
import { clientBlock } from "../../limits/client-network.ts";
import type { Resolver } from "../dns/resolver.ts";

export interface ClientNameOptions {
  resolver: Pick<Resolver, "resolvePtr" | "resolve4" | "resolve6">;
  /** Milliseconds of a monotonic clock. */
  nowMs?: () => number;
  limits?: Partial<typeof clientNameLimits>;
}

export type ClientName = string | null;

export const clientNameLimits = {
  /** Maximum cached addresses, in total and per block. */
  known: 10_000,
  knownOfBlock: 256,
  /** Maximum addresses being looked up, in total and per block. */
  asked: 200,
  askedOfBlock: 8,
  /** Milliseconds after the connection at which a name without an answer counts as unknown for that session. */
  deadlineMs: 500,
};

const FOUND_MS = 10 * 60_000;
/** Cache lifetime of a failed look-up: no name, no name that resolves back, or no answer. */
const MISSED_MS = 60_000;
/** Maximum names tried of an address that has several. */
const NAMES_MAX = 2;
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

interface Known {
  name: ClientName;
  until: number;
}

export class ClientNames {
  readonly #resolver: ClientNameOptions["resolver"];
  readonly #nowMs: () => number;
  readonly #limits: typeof clientNameLimits;
  readonly #blocks = new Map<string, Map<string, Known>>();
  readonly #asked = new Map<string, Promise<ClientName>>();
  readonly #askedOfBlock = new Map<string, number>();
  #knownCount = 0;

  constructor({ resolver, nowMs = () => performance.now(), limits = {} }: ClientNameOptions) {
    this.#resolver = resolver;
    this.#nowMs = nowMs;
    this.#limits = { ...clientNameLimits, ...limits };
  }

  /**
   * Returns the name at once when it is cached, or `null` when no look-up may be started. A promise settles within the
   * deadline and never rejects.
   * @param address as reported by the socket, IPv4 without `::ffff:`
   */
  find(address: string): ClientName | Promise<ClientName> {
    const block = clientBlock(address);
    const known = this.#blocks.get(block)?.get(address);
    if (known !== undefined && known.until > this.#nowMs()) return known.name;
    return this.#asked.get(address) ?? this.#ask(address, block);
  }

  #ask(address: string, block: string): ClientName | Promise<ClientName> {
    const own = this.#askedOfBlock.get(block) ?? 0;
    const { asked, askedOfBlock, deadlineMs } = this.#limits;
    if (own >= askedOfBlock || this.#asked.size >= asked || isIP(address) === 0 || address.includes("%")) return null;
    const looked = lookUp(address, this.#resolver);
    const answer = within(looked, deadlineMs);
    this.#asked.set(address, answer);
    this.#askedOfBlock.set(block, own + 1);
    void looked.then((name) => {
      this.#release(address, block);
      this.#remember(address, block, name);
    });
    return answer;
  }

  #release(address: string, block: string): void {
    this.#asked.delete(address);
    const left = (this.#askedOfBlock.get(block) ?? 1) - 1;
    if (left === 0) this.#askedOfBlock.delete(block);
    else this.#askedOfBlock.set(block, left);
  }

  #remember(address: string, block: string, name: ClientName): void {
    const own = this.#blocks.get(block) ?? new Map<string, Known>();
    if (own.delete(address)) this.#knownCount--;
    if (own.size >= this.#limits.knownOfBlock) this.#forgetOldest(block, own);
    else if (this.#knownCount >= this.#limits.known) this.#makeRoom();
    own.set(address, { name, until: this.#nowMs() + (name === null ? MISSED_MS : FOUND_MS) });
    this.#blocks.set(block, own);
    this.#knownCount++;
  }

  /** Evicts the oldest entry of the block with the most entries. */
  #makeRoom(): void {
    let largest: [string, Map<string, Known>] | null = null;
    for (const it of this.#blocks) if (largest === null || it[1].size > largest[1].size) largest = it;
    if (largest !== null) this.#forgetOldest(...largest);
  }

  #forgetOldest(block: string, own: Map<string, Known>): void {
    const [oldest] = own.keys();
    if (oldest === undefined) return;
    own.delete(oldest);
    this.#knownCount--;
    if (own.size === 0) this.#blocks.delete(block);
  }
}

async function lookUp(address: string, resolver: ClientNameOptions["resolver"]): Promise<ClientName> {
  try {
    const reverse = await resolver.resolvePtr(reverseName(address));
    const names = reverse.kind === "found" ? reverse.records.map(plainName).filter((it) => HOST_NAME.test(it)) : [];
    for (const name of names.slice(0, NAMES_MAX)) if (await leadsTo(name, address, resolver)) return name;
    return null;
  } catch {
    return null;
  }
}

const plainName = (name: string): string => name.toLowerCase().replace(/\.$/, "");

async function leadsTo(name: string, address: string, resolver: ClientNameOptions["resolver"]): Promise<boolean> {
  const isV6 = address.includes(":");
  const forward = await (isV6 ? resolver.resolve6(name) : resolver.resolve4(name));
  if (forward.kind !== "found") return false;
  // Reverse names are compared because they are the same for different spellings of an IPv6 address.
  const wanted = reverseName(address);
  return forward.records.some((it) => isIP(it) === (isV6 ? 6 : 4) && reverseName(it) === wanted);
}

function within(looked: Promise<ClientName>, deadlineMs: number): Promise<ClientName> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), deadlineMs).unref();
    void looked.then((name) => {
      clearTimeout(timer);
      resolve(name);
    });
  });
}
