/**
 * Finds the DMARC record that applies to a domain, and its organizational domain, by walking up the DNS tree (RFC 9989
 * §4.10). DNS is passed in as a function; a walk makes at most eight queries.
 */
import { isDnsName } from "../address/dns-name.ts";
import { type DmarcRecord, isDmarcRecord, readDmarcRecord } from "./dmarc-record.ts";

/** @returns the TXT records of a name; an empty list if it has none @throws if they can't be looked up at present */
export type LookUpTxt = (name: string) => Promise<readonly string[]>;

interface FoundRecord {
  domain: string;
  record: DmarcRecord;
}

export interface PolicyFound {
  /** The DMARC record that applies to the domain; `null` when none does. */
  applied: FoundRecord | null;
  /** The organizational domain; `null` if a look-up above the domain's own record failed. */
  organization: string | null;
}

/** A walk continues from a name with more labels at its last seven (RFC 9989 §4.10, step 4). */
const WALK_LABELS_MAX = 7;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Walks up the DNS tree for one message, which share their look-ups. */
export class TreeWalks {
  readonly #lookUp: LookUpTxt;
  readonly #records = new Map<string, Promise<DmarcRecord | null>>();

  constructor(lookUp: LookUpTxt) {
    this.#lookUp = lookUp;
  }

  /**
   * Finds the policy of an author's domain (§4.10.1): its own record, or that of the organizational domain, or that of
   * the public suffix.
   * @throws if a look-up fails and the domain has no record of its own
   */
  async policyOf(domain: string): Promise<PolicyFound> {
    if (isAddress(domain)) return { applied: null, organization: domain };
    const { found, failure } = await this.#walk(domain);
    const [first] = found;
    if (first?.domain === domain) {
      return { applied: first, organization: failure === null ? organizationOf(domain, found) : null };
    }
    if (failure !== null) throw failure;
    const organization = organizationOf(domain, found);
    const last = found.at(-1);
    const above = last?.record.publicSuffix === "y" ? last : null;
    return { applied: found.find((it) => it.domain === organization) ?? above, organization };
  }

  /** @returns the organizational domain of a domain @throws if a look-up fails */
  async organizationOf(domain: string): Promise<string> {
    if (isAddress(domain)) return domain;
    const { found, failure } = await this.#walk(domain);
    if (failure !== null) throw failure;
    return organizationOf(domain, found);
  }

  /** @returns the DMARC records found, that of the longest name first, up to the first failed look-up */
  async #walk(domain: string): Promise<{ found: FoundRecord[]; failure: Error | null }> {
    const found: FoundRecord[] = [];
    for (let labels = domain.split("."); labels.length > 0; labels = parentOf(labels)) {
      const name = labels.join(".");
      try {
        const record = await this.#recordOf(name);
        if (record !== null) found.push({ domain: name, record });
        if (record !== null && record.publicSuffix !== null) break;
      } catch (thrown) {
        return { found, failure: thrown as Error };
      }
    }
    return { found, failure: null };
  }

  #recordOf(domain: string): Promise<DmarcRecord | null> {
    const known = this.#records.get(domain);
    if (known !== undefined) return known;
    const asked = this.#ask(`_dmarc.${domain}`);
    this.#records.set(domain, asked);
    return asked;
  }

  /** Looks up the DMARC record of a name; several records count as none (§4.10, steps 2 and 6). */
  async #ask(name: string): Promise<DmarcRecord | null> {
    if (!isDnsName(name)) return null;
    const [record, ...more] = (await this.#lookUp(name)).filter(isDmarcRecord);
    return record === undefined || more.length > 0 ? null : readDmarcRecord(record);
  }
}

function parentOf(labels: readonly string[]): string[] {
  return labels.length > WALK_LABELS_MAX ? labels.slice(-WALK_LABELS_MAX) : labels.slice(1);
}

/** Selects the organizational domain from the records that a walk found (§4.10.2). */
function organizationOf(domain: string, found: readonly FoundRecord[]): string {
  for (const { domain: name, record } of found) {
    if (record.publicSuffix === "n") return name;
    if (record.publicSuffix === "y" && name !== domain) {
      return domain
        .split(".")
        .slice(-(name.split(".").length + 1))
        .join(".");
    }
  }
  return found.at(-1)?.domain ?? domain;
}

/** Whether a domain is an IP address, which has no DMARC record. */
function isAddress(domain: string): boolean {
  return domain.startsWith("[") || domain.includes(":") || IPV4.test(domain);
}
