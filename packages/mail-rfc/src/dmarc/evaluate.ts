/**
 * Evaluates DMARC (RFC 7489, RFC 9989 §5.3) for the author's domain: which policy applies to it, and whether a domain
 * that passed SPF or DKIM is aligned with it. DNS is passed in as functions.
 */
import { toALabels } from "../address/a-label.ts";
import { isDnsName } from "../address/dns-name.ts";
import type { DmarcPolicy, DmarcRecord } from "./dmarc-record.ts";
import { type LookUpTxt, type PolicyFound, TreeWalks } from "./tree-walk.ts";

export interface DmarcDns {
  txt: LookUpTxt;
  /** @returns whether a name exists, with records of any type @throws if that can't be looked up at present */
  exists(name: string): Promise<boolean>;
}

/** Domains for which a message passed SPF or DKIM. */
export interface Vouchers {
  spf: readonly string[];
  dkim: readonly string[];
}

export interface DmarcFound {
  /**
   * `none`: the domain has no valid record. `temperror`: a look-up that the result depends on failed; the policy is
   * known all the same unless it is `null`.
   */
  result: "pass" | "fail" | "none" | "temperror";
  /** The policy that applies to a message that fails DMARC. */
  policy: DmarcPolicy | null;
}

/** Maximum domains per evaluation that are looked up by a walk up the DNS tree (RFC 9989 §4.10.2 sets no limit). */
const WALKS_MAX = 10;
/** Characters that no domain of an address contains. */
const NO_DOMAIN = /[\s"<>(),;:\\@[\]]/;
const LITERAL = /^\[[^[\]\\]*\]$/;
const weaker: Record<DmarcPolicy, DmarcPolicy> = { reject: "quarantine", quarantine: "none", none: "none" };
const strength: Record<DmarcPolicy, number> = { none: 0, quarantine: 1, reject: 2 };
const none: DmarcFound = { result: "none", policy: null };

/** Brings a domain into the form in which domains are compared: A-labels in lower case, without the root dot. */
export function comparableDomain(domain: string): string {
  const name = toALabels(domain.toLowerCase().trim()).toLowerCase().trim();
  let end = name.length;
  while (name[end - 1] === ".") end -= 1;
  return name.slice(0, end);
}

/** Evaluates DMARC for one author's domain, as often as further domains pass; the author's policy is looked up once. */
export class DmarcEvaluation {
  readonly #author: string;
  readonly #dns: DmarcDns;
  readonly #walks: TreeWalks;
  #found: Promise<PolicyFound> | undefined;

  /** @param author domain of the author; one that is no domain name has no policy */
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
    // SPF is evaluated first, so that the domains of many signatures can't use up the maximum of walks.
    const bySpf = await alignment.anyOf(spf, record.isSpfStrict);
    const byDkim = bySpf === "yes" ? "no" : await alignment.anyOf(dkim, record.isDkimStrict);
    const applied = record.isTest ? weaker[policy] : policy;
    if (bySpf === "yes" || byDkim === "yes") return { result: "pass", policy: applied };
    const isOpen = isUnsure || bySpf === "unknown" || byDkim === "unknown";
    return { result: isOpen ? "temperror" : "fail", policy: applied };
  }

  /**
   * The policy for the author's domain (§4.10.1). If it depends on whether that domain exists and the look-up fails,
   * the weaker of `sp` and `np` applies and is unsure.
   */
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

/** Alignment of domains with the author's (RFC 9989 §4.10.2). */
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

  /** @returns `unknown` if no domain is known to be aligned, and for at least one it could not be determined */
  async anyOf(domains: readonly string[], isStrict: boolean): Promise<"yes" | "no" | "unknown"> {
    let answer: "no" | "unknown" = "no";
    for (const domain of domains.map(comparableDomain)) {
      if (domain === "") continue;
      if (domain === this.#author) return "yes";
      const aligned = isStrict ? "no" : await this.#isAligned(domain);
      if (aligned === "yes") return "yes";
      if (aligned === "unknown") answer = "unknown";
    }
    return answer;
  }

  async #isAligned(domain: string): Promise<"yes" | "no" | "unknown"> {
    const organization = this.#organization;
    if (organization === null) return topOf(domain) === topOf(this.#author) ? "unknown" : "no";
    // A domain's organizational domain is the domain itself or one above it.
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
