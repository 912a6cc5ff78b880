/** Evaluates SPF: `check_host()` of RFC 7208 §4. Explanations (`exp=`) are not looked up, since nobody reads them. */
import { type DomainSpec, expand, isHostName, NON_ASCII, targetName } from "./domain-spec.ts";
import { asciiName, type Identity, isSameOrBelow, macroValue, preferredName, withLocalPart } from "./identity.ts";
import { isInNetwork, parseClientAddress, parseIpAddress, pointerName } from "./ip-address.ts";
import {
  isSpfRecord,
  isWithinExpansion,
  parseSpfRecord,
  type SpfMechanism,
  type SpfOutcome,
  type SpfRecord,
} from "./spf-record.ts";

export type SpfResult = SpfOutcome | "none" | "permerror" | "temperror";

export type SpfRecordType = "A" | "AAAA" | "MX" | "PTR" | "TXT";

/** MX hosts by preference, TXT strings joined; empty without a record, `null` without a response. */
export type AskSpf = (name: string, type: SpfRecordType) => Promise<readonly string[] | null>;

export interface SpfSender {
  clientAddress: string;
  helo: string;
  sender: string;
}

export interface SpfVerdict {
  result: SpfResult;
  /** Sender's domain, or the HELO name for the null sender, in A-labels. */
  domain: string;
  sender: string;
}

/** Maximum terms that query DNS, over all records of a check (RFC 7208 §4.6.4). */
export const SPF_LOOKUPS_MAX = 10;
export const SPF_VOIDS_MAX = 2;
/** Maximum hosts of one `mx` mechanism, or of the client, that are queried (§4.6.4). */
const HOSTS_MAX = 10;

/**
 * @example checkHost({ clientAddress: "192.0.2.1", helo: "mail.example.org", sender: "ann@example.org" }, ask)
 * // { result: "pass", domain: "example.org", sender: "ann@example.org" }
 */
export async function checkHost({ clientAddress, helo, sender: claimed }: SpfSender, ask: AskSpf): Promise<SpfVerdict> {
  const sender = withLocalPart(claimed || `postmaster@${helo}`);
  const at = sender.lastIndexOf("@");
  const domain = asciiName(sender.slice(at + 1));
  const client = parseClientAddress(clientAddress);
  if (client === null) return { result: "temperror", domain, sender };
  if (!isHostName(domain)) return { result: "none", domain, sender };
  const check = new HostCheck({ client, helo, local: sender.slice(0, at), domain: sender.slice(at + 1) }, ask);
  return { result: await check.run(domain), domain, sender };
}

class SpfStop extends Error {
  readonly result: "permerror" | "temperror";

  constructor(result: "permerror" | "temperror") {
    super(result);
    this.result = result;
  }
}

class HostCheck {
  readonly #identity: Identity;
  readonly #ask: AskSpf;
  readonly #values: { sender: string; helo: string };
  #lookups = 0;
  #voids = 0;

  constructor(identity: Identity, ask: AskSpf) {
    // The sender's domain is in A-labels in macros too (RFC 8616 §4).
    const domain = NON_ASCII.test(identity.domain) ? asciiName(identity.domain) : identity.domain;
    this.#identity = { ...identity, domain };
    this.#ask = ask;
    this.#values = { sender: `${identity.local}@${domain}`, helo: identity.helo };
  }

  async run(domain: string): Promise<SpfResult> {
    try {
      return (await this.#evaluate(domain)) ?? "none";
    } catch (thrown) {
      if (thrown instanceof SpfStop) return thrown.result;
      throw thrown;
    }
  }

  async #evaluate(domain: string): Promise<SpfOutcome | null> {
    const texts = await this.#find(domain, "TXT");
    const record = this.#select(texts);
    if (record === null) return null;
    for (const mechanism of record.mechanisms) {
      // Networks match without a DNS query and so without a promise.
      const isMatch =
        mechanism.kind === "ip"
          ? isInNetwork(this.#identity.client, mechanism.network, mechanism.prefix)
          : await this.#matches(mechanism, domain);
      if (isMatch) return mechanism.outcome;
    }
    if (record.redirect === null) return "neutral";
    const target = await this.#target(record.redirect, domain);
    if (target === null || target === NEVER) throw new SpfStop("permerror");
    return this.#evaluateOther(target);
  }

  /** Evaluates another domain's record; an include or redirect without a record is a permerror (§5.2, §6.1). */
  async #evaluateOther(domain: string): Promise<SpfOutcome> {
    this.#countLookup();
    const outcome = await this.#evaluate(domain);
    if (outcome === null) throw new SpfStop("permerror");
    return outcome;
  }

  #select(texts: readonly string[]): SpfRecord | null {
    let found: string | undefined;
    for (const text of texts) {
      if (!isSpfRecord(text)) continue;
      if (found !== undefined) throw new SpfStop("permerror");
      found = text;
    }
    if (found === undefined) return null;
    const record = parseSpfRecord(found);
    if (record === null || !isWithinExpansion(record, this.#values)) throw new SpfStop("permerror");
    return record;
  }

  async #matches(mechanism: Exclude<SpfMechanism, { kind: "ip" }>, domain: string): Promise<boolean> {
    if (mechanism.kind === "all") return true;
    const target = await this.#target(mechanism.target, domain);
    if (target === NEVER) return false;
    if (mechanism.kind === "include") {
      if (target === null) throw new SpfStop("permerror");
      return (await this.#evaluateOther(target)) === "pass";
    }
    if (target === null) return false;
    this.#countLookup();
    switch (mechanism.kind) {
      case "exists":
        return (await this.#find(target, "A")).length > 0;
      case "ptr":
        return this.#isHostIn(target);
      case "a":
        return this.#isAddressOf(target, mechanism);
      case "mx":
        return this.#isMxOf(target, mechanism);
    }
  }

  /** Whether the client has an address of the name. A void look-up only if it has none of the other family either. */
  async #isAddressOf(name: string, prefixes: Prefixes): Promise<boolean> {
    const [own, other] = this.#identity.client.family === 4 ? (["A", "AAAA"] as const) : (["AAAA", "A"] as const);
    const addresses = await this.#ask(name, own);
    if (addresses === null) throw new SpfStop("temperror");
    if (addresses.length === 0 && (await this.#ask(name, other))?.length === 0) this.#countVoid();
    return this.#isClientIn(addresses, prefixes);
  }

  async #isMxOf(name: string, prefixes: Prefixes): Promise<boolean> {
    let hosts = 0;
    for (const host of await this.#find(name, "MX")) {
      // A null MX (RFC 7505) names no host.
      if (host === "" || host === ".") continue;
      hosts += 1;
      if (hosts > HOSTS_MAX) throw new SpfStop("permerror");
      const exchange = targetName(host);
      if (exchange === null) continue;
      const addresses = await this.#addressesOf(exchange);
      if (addresses === null) throw new SpfStop("temperror");
      if (this.#isClientIn(addresses, prefixes)) return true;
    }
    return false;
  }

  async #isHostIn(domain: string): Promise<boolean> {
    const target = domain.toLowerCase();
    return (await this.#validatedNames()).some((name) => isSameOrBelow(name.toLowerCase(), target));
  }

  /** Names from PTR records that have the client's address (§5.5). */
  async #validatedNames(): Promise<string[]> {
    const { client } = this.#identity;
    const hosts = await this.#ask(pointerName(client), "PTR");
    if (hosts?.length === 0) this.#countVoid();
    const names = (hosts ?? []).slice(0, HOSTS_MAX).map(targetName);
    const isValid = await Promise.all(
      names.map(async (name) => {
        const addresses = name === null ? null : await this.#addressesOf(name);
        return addresses !== null && this.#isClientIn(addresses, { prefix4: 32, prefix6: 128 });
      }),
    );
    return names.filter((name, at) => name !== null && isValid[at]) as string[];
  }

  #addressesOf(name: string) {
    return this.#ask(name, this.#identity.client.family === 4 ? "A" : "AAAA");
  }

  #isClientIn(addresses: readonly string[], { prefix4, prefix6 }: Prefixes): boolean {
    const { client } = this.#identity;
    const prefix = client.family === 4 ? prefix4 : prefix6;
    return addresses.some((text) => {
      const address = parseIpAddress(text);
      return address !== null && isInNetwork(client, address, prefix);
    });
  }

  async #target(spec: DomainSpec | null, domain: string): Promise<string | null | typeof NEVER> {
    if (spec === null) return domain;
    if (spec.name !== undefined) return spec.name;
    const letters = new Set(spec.pieces.map((piece) => (typeof piece === "string" ? "" : piece.letter)));
    // RFC 8616 §4: a local part that is not ASCII can't be in a DNS name.
    if ((letters.has("s") || letters.has("l")) && NON_ASCII.test(this.#identity.local)) return NEVER;
    const host = letters.has("p") ? await this.#hostName(domain) : "";
    return targetName(expand(spec.pieces, (letter) => macroValue(letter, this.#identity, { domain, host })));
  }

  async #hostName(domain: string): Promise<string> {
    this.#countLookup();
    return preferredName(await this.#validatedNames(), domain.toLowerCase());
  }

  /** Looks a name up; no record is a void look-up, no response a temperror. */
  async #find(name: string, type: SpfRecordType): Promise<readonly string[]> {
    const records = await this.#ask(name, type);
    if (records === null) throw new SpfStop("temperror");
    if (records.length === 0) this.#countVoid();
    return records;
  }

  #countLookup(): void {
    this.#lookups += 1;
    if (this.#lookups > SPF_LOOKUPS_MAX) throw new SpfStop("permerror");
  }

  #countVoid(): void {
    this.#voids += 1;
    if (this.#voids > SPF_VOIDS_MAX) throw new SpfStop("permerror");
  }
}

const NEVER = Symbol("never");

interface Prefixes {
  prefix4: number;
  prefix6: number;
}
