/** From the results of authentication: whether to accept the message, and what to record with it. Pure. */
import { type DmarcPolicy, type MethodResult, resultsValue } from "@kauke/mail-rfc";
import type { AuthResult, MessageAuthentication } from "../../../core/message/message.ts";
import type { MailRefusal } from "../../reply.ts";
import type { DmarcVerdict } from "./author.ts";
import type { ArcFound, SignatureFound } from "./check-signatures.ts";
import type { SpfFound } from "./check-spf.ts";

type Refusal = Extract<MailRefusal, "dmarc_reject" | "proof_unfinished"> | "author_unreadable";

export interface Authentication {
  found: MessageAuthentication;
  /** A check is unfinished and the author unproven: stages that need proof defer, even if `refusal` accepts. */
  isUnfinished: boolean;
  refusal: Refusal | null;
}

/** A check that threw is `null` and says nothing about the message. */
export interface ChecksFound {
  author: string;
  /** `ShownAuthor.isPlain`; no check can prove an author whose From is not plain. */
  isAuthorPlain: boolean;
  policy: DmarcPolicy | "unknown";
  spf: SpfFound | null;
  dkim: readonly SignatureFound[] | null;
  arc: ArcFound | null;
  verdict: DmarcVerdict;
  couldBeProven: boolean;
  wasCut: boolean;
}

export interface ConcludeRules {
  mailHost: string;
  trustedArcSigners: ReadonlySet<string>;
}

export function conclude(checks: ChecksFound, { mailHost, trustedArcSigners }: ConcludeRules): Authentication {
  const { author, spf, arc, verdict } = checks;
  const isVouched = author !== "" && arc?.vouchedAuthor === author && trustedArcSigners.has(arc.sealer);
  const isUnfinished = !verdict.isProven && isOpen(checks, isVouched);
  return {
    found: {
      spf: spf?.result ?? "temperror",
      dkim: bestOf(checks.dkim),
      dmarc: dmarcResult(checks),
      arc: arc?.result ?? "temperror",
      isAligned: verdict.isProven,
      results: resultsValue(mailHost, rowsOf(checks)),
    },
    isUnfinished,
    refusal: refusalOf(checks, { isUnfinished, isExplained: isVouched && arc.result === "pass" }),
  };
}

/** Whether more time could prove the message, or read its policy. @param isVouched if the ARC chain is valid */
function isOpen({ policy, verdict, couldBeProven, wasCut, arc }: ChecksFound, isVouched: boolean): boolean {
  const isSealOpen = isVouched && arc?.result === "temperror";
  return policy === "unknown" || verdict.result === "temperror" || couldBeProven || wasCut || isSealOpen;
}

/** A proven message is never refused. Without proof an unreadable policy counts as `reject`, and defers. */
function refusalOf(
  { isAuthorPlain, policy, verdict }: ChecksFound,
  { isUnfinished, isExplained }: { isUnfinished: boolean; isExplained: boolean },
): Refusal | null {
  if (verdict.isProven) return null;
  if (policy === "unknown") return "proof_unfinished";
  if (policy !== "reject" || isExplained) return null;
  if (isUnfinished) return "proof_unfinished";
  return isAuthorPlain ? "dmarc_reject" : "author_unreadable";
}

function dmarcResult({ policy, verdict, couldBeProven }: ChecksFound): AuthResult {
  if (verdict.result === "none") return policy === "unknown" ? "temperror" : "none";
  return verdict.result === "fail" && couldBeProven ? "temperror" : verdict.result;
}

function bestOf(signatures: readonly SignatureFound[] | null): AuthResult {
  if (signatures === null) return "temperror";
  return (signatures.find(({ result }) => result === "pass") ?? signatures[0])?.result ?? "none";
}

function rowsOf(checks: ChecksFound): MethodResult[] {
  const { author, spf, dkim, arc, verdict } = checks;
  const dmarc = dmarcResult(checks);
  return [
    ...(dkim ?? []).map(signatureRow),
    spfRow(spf),
    ...(arc === null || arc.result === "none" ? [] : [{ method: "arc", result: arc.result, comment: arc.comment }]),
    {
      method: "dmarc",
      result: dmarc,
      properties: [
        ["policy.dmarc", dmarc === "fail" ? (verdict.applied ?? undefined) : undefined],
        ["header.from", author],
      ],
    },
  ];
}

function spfRow(spf: SpfFound | null): MethodResult {
  const { result, sender, helo } = spf ?? { result: "temperror", sender: "", helo: "" };
  return {
    method: "spf",
    result,
    properties: [
      ["smtp.mailfrom", sender],
      ["smtp.helo", helo],
    ],
  };
}

function signatureRow({ result, domain, selector, algorithm, signature, comment }: SignatureFound): MethodResult {
  const properties = [
    ["header.d", domain],
    ["header.i", domain && `@${domain}`],
    ["header.s", selector],
    ["header.a", algorithm],
    ["header.b", signature],
  ] as const;
  return { method: "dkim", result, comment, properties };
}
