/** What SPF, DKIM and ARC found, each by mailauth and by itself: one that breaks or is late takes nothing from the others. */
import type { arc as Arc, DKIMResult, DKIMVerifyResult, SPFResult, spf as Spf } from "mailauth";
import type { AuthResult } from "../../../core/message/message.ts";
import { askForSpf } from "./bounded-spf.ts";
import type { MessageDns } from "./message-dns.ts";
import { lastSealer, sealKeyNames } from "./verify-together.ts";

export interface SpfFound {
  result: AuthResult;
  /** Of the envelope sender, or of HELO for the null sender. */
  domain: string;
  /** The envelope sender, or postmaster of the HELO name for the null sender. */
  sender: string;
  helo: string;
}

export interface SignatureFound {
  result: AuthResult;
  domain: string;
  selector: string;
  algorithm: string;
  /** The beginning of `b=`. */
  signature: string;
  /** The library's words. */
  comment: string;
}

export interface ArcFound {
  result: AuthResult;
  comment: string;
  /** Who sealed last, lower case, whether the seal holds or not. */
  sealer: string;
  /** What the last sealer says it found for DMARC, when the chain holds. */
  saidDmarc: string;
}

interface Library {
  spf: typeof Spf;
  arc: typeof Arc;
}

export interface SpfClaim {
  clientAddress: string;
  helo: string;
  envelopeFrom: string;
}

const isAddressLiteral = (text: string) => /^[0-9.]+$/.test(text) || text.includes(":");

export async function checkSpf(
  { clientAddress, helo, envelopeFrom }: SpfClaim,
  { spf }: Pick<Library, "spf">,
  { dns, mailHost }: { dns: MessageDns; mailHost: string },
): Promise<SpfFound> {
  const given = helo || clientAddress;
  const name = isAddressLiteral(given) ? `[${given}]` : given;
  const found: SPFResult = await spf({
    ip: clientAddress,
    helo: name,
    sender: envelopeFrom,
    mta: mailHost,
    resolver: askForSpf(dns.ask, { sender: envelopeFrom, helo: name, mta: mailHost }),
  });
  return {
    result: found.status.result as AuthResult,
    domain: String(found.domain ?? "").toLowerCase(),
    sender: String(found.status.smtp?.mailfrom ?? ""),
    helo: name,
  };
}

/** One that leaves a part of the body to anybody (`l=`) proves nothing: RFC 6376 §8.2, `policy` of RFC 8601 §2.7.1. */
export function readSignature({ status, signingDomain, selector, algo, signature }: DKIMResult): SignatureFound {
  const isWhole = (status.underSized ?? 0) === 0;
  return {
    result: status.result === "pass" && !isWhole ? "policy" : (status.result as AuthResult),
    domain: (signingDomain ?? "").toLowerCase(),
    selector: selector ?? "",
    algorithm: algo ?? "",
    signature: (signature ?? "").slice(0, 8),
    comment: status.comment ?? "",
  };
}

/** The library counts every failure as one for good; a key that did not come is none. */
export async function checkArc(verified: DKIMVerifyResult, { arc }: Library, dns: MessageDns): Promise<ArcFound> {
  const data = verified.arc as Parameters<Library["arc"]>[0] | undefined;
  if (data === undefined) return { result: "none", comment: "", sealer: "", saidDmarc: "" };
  const { status, signature, authenticationResults, chain } = await arc(data, { resolver: dns.ask });
  const chainOf = (chain || []) as Parameters<typeof sealKeyNames>[0];
  const isLate =
    (signature && signature.status.result === "temperror") ||
    sealKeyNames(chainOf).some((name) => dns.isUnanswered(name, "TXT"));
  const said = (authenticationResults as { dmarc?: { result?: string } } | undefined)?.dmarc?.result;
  return {
    result: status.result === "fail" && isLate ? "temperror" : (status.result as AuthResult),
    comment: status.comment ?? "",
    sealer: lastSealer(chainOf),
    saidDmarc: status.result === "pass" ? (said ?? "") : "",
  };
}
