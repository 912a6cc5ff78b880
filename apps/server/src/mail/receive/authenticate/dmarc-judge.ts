/**
 * DMARC evaluation (RFC 7489 and RFC 9989) by mailauth: whether the displayed author is proven, and which policy the
 * author's domain publishes. Record look-up, tree walk, sub-domain policies and alignment are the library's. A domain
 * without a DMARC record is proven by relaxed alignment; one with a record is judged by that record alone, including
 * strict alignment.
 */
import type { DMARCResult, dmarc as Dmarc } from "mailauth";
import type { AskDns } from "../../ask-dns.ts";

export type DmarcPolicy = "none" | "quarantine" | "reject";

export interface DmarcVerdict {
  /** `temperror`: the DMARC record, or a look-up that alignment depends on, failed temporarily. */
  result: "pass" | "fail" | "none" | "temperror";
  isProven: boolean;
  /** Policy to apply to a message that fails; `null` when it did not fail. */
  applied: DmarcPolicy | null;
}

/** Domains that passed SPF or DKIM. */
export interface Vouchers {
  spf: readonly string[];
  dkim: readonly string[];
}

/** The parts of mailauth used here; the library is loaded with the first message. */
export interface DmarcLibrary {
  dmarc: typeof Dmarc;
  /** Relaxed alignment by the public suffix list. */
  getAlignment(fromDomain: string, domains: readonly string[]): { domain: string } | false;
}

const passed: DmarcVerdict = { result: "pass", isProven: true, applied: null };

export class DmarcJudge {
  readonly #author: string;
  readonly #ask: AskDns;
  readonly #library: DmarcLibrary;
  #unprovenFound: Promise<DMARCResult | false> | undefined;

  /** @param author domain of the displayed author, in A-labels; empty when there is none */
  constructor(author: string, ask: AskDns, library: DmarcLibrary) {
    this.#author = author;
    this.#ask = ask;
    this.#library = library;
  }

  /** Policy that the author's domain publishes; `unknown` when it can't be read at present. */
  async policy(): Promise<DmarcPolicy | "unknown"> {
    const found = await this.#unproven();
    if (found === false || found.status.result === "none") return "none";
    return found.status.result === "temperror" ? "unknown" : readPolicy(found.policy);
  }

  async judge(vouchers: Vouchers): Promise<DmarcVerdict> {
    const unproven = await this.#unproven();
    const isSameDomain = [...vouchers.spf, ...vouchers.dkim].includes(this.#author);
    // Shortcut for the usual case: an identical domain is aligned in strict and relaxed mode, no need to ask the
    // library.
    if (isSameDomain && unproven !== false && unproven.status.result === "fail") return passed;
    const found = await this.#find(vouchers);
    const result = found === false ? "none" : readResult(found.status.result);
    const isAligned = result === "none" && this.#isAlignedWithoutRecord(vouchers);
    const applied = found !== false && result === "fail" ? readPolicy(found.policy) : null;
    return { result, isProven: result === "pass" || isAligned, applied };
  }

  /** DMARC result without any SPF or DKIM pass: yields the published policy. */
  #unproven(): Promise<DMARCResult | false> {
    this.#unprovenFound ??= this.#find({ spf: [], dkim: [] });
    return this.#unprovenFound;
  }

  async #find({ spf, dkim }: Vouchers): Promise<DMARCResult | false> {
    if (this.#author === "") return false;
    return this.#library.dmarc({
      // The address has a fixed local part, since the library extracts further domains from unusual local parts.
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
