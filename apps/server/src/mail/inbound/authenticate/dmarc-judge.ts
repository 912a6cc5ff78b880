/**
 * DMARC verdict (RFC 7489, RFC 9989): whether the displayed author is proven, and which policy their domain publishes.
 * Without a DMARC record, relaxed alignment by the public suffix list proves the author; with one, that record alone
 * decides.
 */
import { comparableDomain, DmarcEvaluation, type DmarcPolicy, type Vouchers } from "@kauke/mail-rfc";
import { registrableDomain } from "../../../limits/party.ts";
import type { DnsResult } from "../../dns/resolver.ts";
import type { MessageDns } from "./message-dns.ts";

export interface DmarcVerdict {
  /** `temperror`: the DMARC record, or a look-up that alignment depends on, failed temporarily. */
  result: "pass" | "fail" | "none" | "temperror";
  isProven: boolean;
  applied: DmarcPolicy | null;
}

type Dns = Pick<MessageDns, "find">;

const nobody: Vouchers = { spf: [], dkim: [] };

export class DmarcJudge {
  readonly #author: string;
  readonly #evaluation: DmarcEvaluation;

  /** @param author domain in A-labels; empty when there is none */
  constructor(author: string, dns: Dns) {
    this.#author = author;
    this.#evaluation = new DmarcEvaluation(author, {
      txt: async (name) => textsOf(await dns.find(name, "TXT")),
      exists: async (name) => existsBy(await dns.find(name, "A")),
    });
  }

  async policy(): Promise<DmarcPolicy | "unknown"> {
    const { result, policy } = await this.#evaluation.evaluate(nobody);
    return result === "temperror" ? "unknown" : (policy ?? "none");
  }

  async judge(vouchers: Vouchers): Promise<DmarcVerdict> {
    const { result, policy } = await this.#evaluation.evaluate(vouchers);
    const isAligned = result === "none" && this.#isAlignedWithoutRecord(vouchers);
    return { result, isProven: result === "pass" || isAligned, applied: result === "fail" ? policy : null };
  }

  #isAlignedWithoutRecord({ spf, dkim }: Vouchers): boolean {
    const author = comparableDomain(this.#author);
    const others = [...spf, ...dkim].map(comparableDomain);
    if (author === "" || others.length === 0) return false;
    const organizationOf = (domain: string) => registrableDomain(domain) ?? domain;
    return others.some((domain) => organizationOf(domain) === organizationOf(author));
  }
}

function textsOf(result: DnsResult<string>): readonly string[] {
  if (result.kind === "failed") throw new Error("look-up failed");
  return result.kind === "found" ? result.records : [];
}

function existsBy({ kind }: DnsResult<string>): boolean {
  if (kind === "failed") throw new Error("look-up failed");
  return kind !== "no_name";
}
