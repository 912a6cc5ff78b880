/** Reads DMARC records (RFC 7489 §6.3, RFC 9989 §4.7), as leniently as tag-list.ts, and finds them by the tree walk. */
import { isDnsName } from "../address/dns-name.ts";

export type DmarcPolicy = "none" | "quarantine" | "reject";

export interface DmarcRecord {
  policies: { p: DmarcPolicy; sp: DmarcPolicy | undefined; np: DmarcPolicy | undefined } | null;
  isDkimStrict: boolean;
  isSpfStrict: boolean;
  /** `t=y`: `reject` acts as `quarantine`, `quarantine` as `none`. */
  isTest: boolean;
  /** Whether the domain says that it is a public suffix (`psd=`). */
  publicSuffix: "y" | "n" | null;
}

/** Matches the version, which comes first, its value in upper case (RFC 9989 §4.7). */
const VERSION = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/;
const policyNames: ReadonlySet<string> = new Set<DmarcPolicy>(["none", "quarantine", "reject"]);
/** A URI for reports (RFC 9989 §4.8), perhaps with an obsolete size limit. */
const REPORT_URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9\-._~:/?#[\]@$&'()*+;=]|%[0-9a-f]{2})*$/i;
const SIZE_LIMIT = /![0-9]+[kmgt]?$/i;

export function isDmarcRecord(text: string): boolean {
  return VERSION.test(text.trim());
}

export function readDmarcRecord(text: string): DmarcRecord {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    tags.set(name.trim().toLowerCase(), equals < 0 ? "" : part.slice(equals + 1).trim());
  }
  const value = (name: string): string | undefined => tags.get(name)?.toLowerCase();
  const suffix = value("psd");
  return {
    policies: policiesOf(value, tags.get("rua") ?? ""),
    isDkimStrict: value("adkim") === "s",
    isSpfStrict: value("aspf") === "s",
    isTest: value("t") === "y",
    publicSuffix: suffix === "y" || suffix === "n" ? suffix : null,
  };
}

/** Policies; a record with an invalid policy that asks for reports acts as `p=none` (RFC 9989 §4.10.1). */
function policiesOf(value: (name: string) => string | undefined, reports: string): DmarcRecord["policies"] {
  const [p, sp, np] = [value("p"), value("sp"), value("np")];
  if (isPolicy(p) && (sp === undefined || isPolicy(sp)) && (np === undefined || isPolicy(np))) return { p, sp, np };
  return reports.split(",").some(isReportUri) ? { p: "none", sp: undefined, np: undefined } : null;
}

function isPolicy(text: string | undefined): text is DmarcPolicy {
  return text !== undefined && policyNames.has(text);
}

function isReportUri(text: string): boolean {
  return REPORT_URI.test(text.trim().replace(SIZE_LIMIT, ""));
}

export type LookUpTxt = (name: string) => Promise<readonly string[]>;

interface FoundRecord {
  domain: string;
  record: DmarcRecord;
}

export interface PolicyFound {
  applied: FoundRecord | null;
  /** Organizational domain; `null` if a look-up above the domain's own record failed. */
  organization: string | null;
}

/** Labels at which a walk up the DNS tree continues (RFC 9989 §4.10, step 4). */
const WALK_LABELS_MAX = 7;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Walks up the DNS tree for one message share their look-ups. */
export class TreeWalks {
  readonly #lookUp: LookUpTxt;
  readonly #records = new Map<string, Promise<DmarcRecord | null>>();

  constructor(lookUp: LookUpTxt) {
    this.#lookUp = lookUp;
  }

  /**
   * Finds the domain's own record, that of the organizational domain, or of the public suffix (§4.10.1).
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
    return { applied: found.find(({ domain: name }) => name === organization) ?? above, organization };
  }

  async organizationOf(domain: string): Promise<string> {
    if (isAddress(domain)) return domain;
    const { found, failure } = await this.#walk(domain);
    if (failure !== null) throw failure;
    return organizationOf(domain, found);
  }

  /** Walks from the longest name up to the first failed look-up. */
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

  /** Reads the record at a name; several count as none (§4.10, steps 2 and 6). */
  async #ask(name: string): Promise<DmarcRecord | null> {
    if (!isDnsName(name)) return null;
    const [record, ...more] = (await this.#lookUp(name)).filter(isDmarcRecord);
    return record === undefined || more.length > 0 ? null : readDmarcRecord(record);
  }
}

function parentOf(labels: readonly string[]): string[] {
  return labels.length > WALK_LABELS_MAX ? labels.slice(-WALK_LABELS_MAX) : labels.slice(1);
}

/** Selects the organizational domain from the records found (RFC 9989 §4.10.2). */
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

function isAddress(domain: string): boolean {
  return domain.startsWith("[") || domain.includes(":") || IPV4.test(domain);
}
