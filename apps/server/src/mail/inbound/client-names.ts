/** Forward-confirmed reverse names (RFC 8601 §3) of clients, bounded per block: slow name servers can't exhaust DNS. */

import { isIP } from "node:net";
import { reverseName } from "@kauke/mail-rfc";
import { clientBlock } from "../../limits/party.ts";
import { bounds } from "../../limits/table.ts";
import { FairMap } from "../../runtime/fair-map.ts";
import type { Resolver } from "../dns/resolver.ts";

export interface ClientNameOptions {
  resolver: Pick<Resolver, "resolvePtr" | "resolve4" | "resolve6">;
  nowMs?: () => number;
  limits?: Partial<typeof clientNameLimits>;
}

export type ClientName = string | null;

export const clientNameLimits = {
  /** Cached addresses, in total and per block. */
  known: bounds.clientNames.all,
  knownOfBlock: bounds.clientNames.block,
  /** Addresses being looked up, in total and per block. */
  asked: bounds.clientNameQueries.all,
  askedOfBlock: bounds.clientNameQueries.block,
  /** Time after the connection at which the name counts as unknown. */
  deadlineMs: bounds.clientNameQueries.deadlineMs,
};

const NAMES_MAX = 2;
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export class ClientNames {
  readonly #resolver: ClientNameOptions["resolver"];
  readonly #nowMs: () => number;
  readonly #limits: typeof clientNameLimits;
  readonly #known: FairMap<ClientName>;
  readonly #asked: FairMap<Promise<ClientName>>;

  constructor({ resolver, nowMs = () => performance.now(), limits = {} }: ClientNameOptions) {
    this.#resolver = resolver;
    this.#nowMs = nowMs;
    this.#limits = { ...clientNameLimits, ...limits };
    this.#known = new FairMap({ all: this.#limits.known, party: this.#limits.knownOfBlock, nowMs });
    this.#asked = new FairMap({ all: this.#limits.asked });
  }

  /** Never rejects; `null` also if too many names are being looked up. @param address IPv4 without `::ffff:` */
  async find(address: string): Promise<ClientName> {
    const block = clientBlock(address);
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    return await (this.#asked.get(address) ?? this.#ask(address, block));
  }

  async #ask(address: string, block: string): Promise<ClientName> {
    const { asked, askedOfBlock, deadlineMs } = this.#limits;
    const isFull = this.#asked.sizeOf(block) >= askedOfBlock || this.#asked.size >= asked;
    if (isFull || isIP(address) === 0 || address.includes("%")) return null;
    const looked = lookUp(address, this.#resolver);
    const inTime = within(looked, deadlineMs);
    this.#asked.set(address, inTime, { party: block, size: 1 });
    void looked.then((name) => {
      this.#asked.delete(address);
      const keptMs = name === null ? bounds.clientNames.missedMs : bounds.clientNames.foundMs;
      this.#known.set(address, name, { party: block, size: 1, until: this.#nowMs() + keptMs });
    });
    return inTime;
  }
}

async function lookUp(address: string, resolver: ClientNameOptions["resolver"]): Promise<ClientName> {
  try {
    const reverse = await resolver.resolvePtr(reverseName(address));
    const names = reverse.kind === "found" ? reverse.records.map(plainName).filter((name) => HOST_NAME.test(name)) : [];
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
  // Reverse names do not depend on the spelling of an IPv6 address.
  const wanted = reverseName(address);
  return forward.records.some((found) => isIP(found) === (isV6 ? 6 : 4) && reverseName(found) === wanted);
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
