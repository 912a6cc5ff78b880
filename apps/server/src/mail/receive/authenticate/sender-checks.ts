/** ARC check by mailauth, and its DKIM results. One that throws or is late does not affect the others. */
import type { arc as Arc, DKIMResult, DKIMVerifyResult } from "mailauth";
import type { AuthResult } from "../../../core/message/message.ts";
import type { MessageDns } from "./message-dns.ts";
import { lastSealer, sealKeyNames } from "./verify-together.ts";

export interface SignatureFound {
  result: AuthResult;
  domain: string;
  selector: string;
  algorithm: string;
  /** The first characters of the signature's `b=` tag. */
  signature: string;
  /** The library's explanation of the result. */
  comment: string;
}

export interface ArcFound {
  result: AuthResult;
  comment: string;
  /** Domain of the last ARC sealer in lower case, whether the seal is valid or not. */
  sealer: string;
  /** DMARC result that the last sealer recorded; empty unless the chain is valid. */
  saidDmarc: string;
}

interface Library {
  arc: typeof Arc;
}

/**
 * A signature that does not cover the whole body (`l=`) proves nothing (RFC 6376 §8.2): `policy` of RFC 8601 §2.7.1.
 */
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

/** The library reports every failure as permanent; a seal whose key look-up failed is turned into `temperror`. */
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
