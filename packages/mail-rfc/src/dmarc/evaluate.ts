/** Evaluates DMARC (RFC 7489, RFC 9989 §5.3) for an author's domain: its policy, and SPF or DKIM alignment. */
import { isDnsName, toALabels } from "../address/dns-name.ts";
import { type DmarcPolicy, type DmarcRecord, type LookUpTxt, type PolicyFound, TreeWalks } from "./dmarc-record.ts";

export interface DmarcDns {
  txt: LookUpTxt;
  /** Whether a name has records of any type. @throws if that can't be looked up now */
  exists(name: string): Promise<boolean>;
}

export interface Vouchers {
  spf: readonly string[];
  dkim: readonly string[];
}

export interface DmarcFound {
  /** `temperror`: a look-up that matters failed; the policy is known unless it is `null`. */
  result: "pass" | "fail" | "none" | "temperror";
  policy: DmarcPolicy | null;
}

/** Maximum walks up the DNS tree per evaluation; RFC 9989 §4.10.2 sets no limit. */
const WALKS_MAX = 10;
const NO_DOMAIN = /[\s"<>(),;:\\@[\]]/;
const LITERAL = /^\[[^[\]\\]*\]$/;
const weaker: Record<DmarcPolicy, DmarcPolicy> = { reject: "quarantine", quarantine: "none", none: "none" };
const strength: Record<DmarcPolicy, number> = { none: 0, quarantine: 1, reject: 2 };
const none: DmarcFound = { result: "none", policy: null };

/** Domains are compared as A-labels in lower case, without the root dot. */
export function comparableDomain(domain: string): string {
  const name = toALabels(domain.toLowerCase().trim()).toLowerCase().trim();
  let end = name.length;
  while (name[end - 1] === ".") end -= 1;
  return name.slice(0, end);
}

/** Evaluation for one author's domain, as often as further domains pass; looks its policy up once. */
export class DmarcEvaluation {
  readonly #author: string;
  readonly #dns: DmarcDns;
  readonly #walks: TreeWalks;
  #found: Promise<PolicyFound> | undefined;

  constructor(author: string, dns: DmarcDns) {
    const domain = author.trim().toLowerCase();
    this.#author = LITERAL.test(domain) || !NO_DOMAIN.test(domain) ? comparableDomain(domain) : "";
    this.#dns = dns;
    this.#walks = new TreeWalks(dns.txt);
  }

  async evaluate({ spf, dkim }: Vouchers): Promise<DmarcFound> {
    if (this.#author === "") return none;
    this.#found ??= this.#walks.policyOf(this.#author);
    const found = await this.#found.catch(() => null);
    if (found === null) return { result: "temperror", policy: null };
    const record = found.applied?.record;
    if (record === undefined || record.policies === null) return none;
    const { policy, isUnsure } = await this.#policyOf(found, record.policies);
    const alignment = new Alignment(this.#author, found.organization, this.#walks);
    // SPF first, so that the domains of many signatures can't use up the walks.
    const bySpf = await alignment.anyOf(spf, record.isSpfStrict);
    const byDkim = bySpf === "yes" ? "no" : await alignment.anyOf(dkim, record.isDkimStrict);
    const applied = record.isTest ? weaker[policy] : policy;
    if (bySpf === "yes" || byDkim === "yes") return { result: "pass", policy: applied };
    const isOpen = isUnsure || bySpf === "unknown" || byDkim === "unknown";
    return { result: isOpen ? "temperror" : "fail", policy: applied };
  }

  /** Policy (§4.10.1). If the domain's existence is unknown, the weaker of `sp` and `np`, marked as unsure. */
  async #policyOf(
    { applied }: PolicyFound,
    { p, sp = p, np }: NonNullable<DmarcRecord["policies"]>,
  ): Promise<{ policy: DmarcPolicy; isUnsure: boolean }> {
    if (applied?.domain === this.#author) return { policy: p, isUnsure: false };
    if (np === undefined) return { policy: sp, isUnsure: false };
    try {
      const exists = isDnsName(this.#author) && (await this.#dns.exists(this.#author));
      return { policy: exists ? sp : np, isUnsure: false };
    } catch {
      return { policy: strength[np] < strength[sp] ? np : sp, isUnsure: np !== sp };
    }
  }
}

class Alignment {
  readonly #author: string;
  readonly #organization: string | null;
  readonly #walks: TreeWalks;
  readonly #walked = new Map<string, Promise<string>>();

  constructor(author: string, organization: string | null, walks: TreeWalks) {
    this.#author = author;
    this.#organization = organization;
    this.#walks = walks;
  }

  /** Whether any domain is aligned; `unknown` if none is known to be and one could not be determined. */
  async anyOf(domains: readonly string[], isStrict: boolean): Promise<"yes" | "no" | "unknown"> {
    let result: "no" | "unknown" = "no";
    for (const domain of domains.map(comparableDomain)) {
      if (domain === "") continue;
      if (domain === this.#author) return "yes";
      const aligned = isStrict ? "no" : await this.#isAligned(domain);
      if (aligned === "yes") return "yes";
      if (aligned === "unknown") result = "unknown";
    }
    return result;
  }

  async #isAligned(domain: string): Promise<"yes" | "no" | "unknown"> {
    const organization = this.#organization;
    if (organization === null) return topOf(domain) === topOf(this.#author) ? "unknown" : "no";
    // An organizational domain is the domain itself or above it.
    if (domain !== organization && !domain.endsWith(`.${organization}`)) return "no";
    if (!this.#walked.has(domain) && this.#walked.size >= WALKS_MAX) return "unknown";
    const walk = this.#walked.get(domain) ?? this.#walks.organizationOf(domain);
    this.#walked.set(domain, walk);
    return walk.then(
      (found) => (found === organization ? "yes" : "no"),
      () => "unknown",
    );
  }
}

const topOf = (domain: string): string => domain.slice(domain.lastIndexOf(".") + 1);
