/**
 * Whether a message is proven to be its author's, and what the author's domain asks for otherwise (DMARC, RFC 7489 and RFC 9989),
 * by mailauth: records, tree walk, policies of sub-domains and alignment are the library's. A domain without a record is proven by
 * relaxed alignment; one that has a record is judged by it alone, strict alignment and all.
 */
import type { DMARCResult, dmarc as Dmarc } from "mailauth";
import type { AskDns } from "../../ask-dns.ts";

export type DmarcPolicy = "none" | "quarantine" | "reject";

export interface DmarcVerdict {
  /** `temperror`: the record, or an alignment that counts, could not be looked up. */
  result: "pass" | "fail" | "none" | "temperror";
  isProven: boolean;
  /** What is asked for a message that fails; `null` when nothing failed. */
  applied: DmarcPolicy | null;
}

/** Domains a check vouches for. */
export interface Vouchers {
  spf: readonly string[];
  dkim: readonly string[];
}

/** The library's parts, which are loaded with the first message. */
export interface DmarcLibrary {
  dmarc: typeof Dmarc;
  /** Relaxed, by the public suffix list. */
  getAlignment(fromDomain: string, domains: readonly string[]): { domain: string } | false;
}

const passed: DmarcVerdict = { result: "pass", isProven: true, applied: null };

export class DmarcJudge {
  readonly #author: string;
  readonly #ask: AskDns;
  readonly #library: DmarcLibrary;
  #unprovenFound: Promise<DMARCResult | false> | undefined;

  /** @param author the domain of the author who is shown, in A-labels; empty when there is none */
  constructor(author: string, ask: AskDns, library: DmarcLibrary) {
    this.#author = author;
    this.#ask = ask;
    this.#library = library;
  }

  /** What the domain asks for; `unknown` when that can't be read now. */
  async policy(): Promise<DmarcPolicy | "unknown"> {
    const found = await this.#unproven();
    if (found === false || found.status.result === "none") return "none";
    return found.status.result === "temperror" ? "unknown" : readPolicy(found.policy);
  }

  async judge(vouchers: Vouchers): Promise<DmarcVerdict> {
    const unproven = await this.#unproven();
    const isSameDomain = [...vouchers.spf, ...vouchers.dkim].includes(this.#author);
    // The usual case, strict or relaxed, without asking the library again.
    if (isSameDomain && unproven !== false && unproven.status.result === "fail") return passed;
    const found = await this.#find(vouchers);
    const result = found === false ? "none" : readResult(found.status.result);
    const isAligned = result === "none" && this.#isAlignedWithoutRecord(vouchers);
    const applied = found !== false && result === "fail" ? readPolicy(found.policy) : null;
    return { result, isProven: result === "pass" || isAligned, applied };
  }

  /** With nobody to vouch: tells what is asked. */
  #unproven(): Promise<DMARCResult | false> {
    this.#unprovenFound ??= this.#find({ spf: [], dkim: [] });
    return this.#unprovenFound;
  }

  async #find({ spf, dkim }: Vouchers): Promise<DMARCResult | false> {
    if (this.#author === "") return false;
    return this.#library.dmarc({
      // Our own local part: the library looks for more domains in odd ones.
      headerFrom: [`author@${this.#author}`],
      spfDomains: [...spf],
      dkimDomains: dkim.map((domain) => ({ domain })),
      resolver: this.#ask,
    });
  }

  #isAlignedWithoutRecord({ spf, dkim }: Vouchers): boolean {
    return this.#author !== "" && this.#library.getAlignment(this.#author, [...spf, ...dkim]) !== false;
  }
}

function readResult(result: string): DmarcVerdict["result"] {
  return result === "pass" || result === "fail" || result === "none" ? result : "temperror";
}

function readPolicy(policy: string): DmarcPolicy {
  return policy === "reject" || policy === "quarantine" ? policy : "none";
}
