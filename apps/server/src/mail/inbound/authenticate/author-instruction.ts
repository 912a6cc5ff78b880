/**
 * Whether the author of a message sent it to the recipients of this very envelope, or somebody else sent the author's
 * message again. DKIM proves who wrote a message, not to whom it goes: anybody who holds it can send it to any address.
 */
import type { InstructionProof, Vouchers } from "@kauke/mail-rfc";
import type { AuthorInstruction } from "../../transaction.ts";
import type { SignatureFound } from "./check-signatures.ts";
import type { SpfFound } from "./check-spf.ts";
import type { DmarcVerdict } from "./dmarc-judge.ts";
import type { ShownAuthor } from "./shown-author.ts";

interface Checks {
  shown: ShownAuthor;
  /** A check is `null` when it threw. */
  spf: SpfFound | null;
  dkim: readonly SignatureFound[] | null;
  /** Whether the author is unproven because a check did not finish. */
  isUnfinished: boolean;
}

/** @param judge applies DMARC to the domains that SPF and DKIM pass for */
export async function readInstruction(
  { shown, spf, dkim, isUnfinished }: Checks,
  judge: (vouchers: Vouchers) => Promise<DmarcVerdict>,
): Promise<AuthorInstruction> {
  if (!shown.isPlain) return { isByEnvelope: false, signatures: [], unread: [], isUnfinished };
  const isByEnvelope = spf?.result === "pass" && (await judge({ spf: [spf.domain], dkim: [] })).isProven;
  const signatures: InstructionProof[] = [];
  const unread: InstructionProof[] = [];
  for (const { result, instruction, domain } of dkim ?? [])
    if (instruction !== undefined && (await judge({ spf: [], dkim: [domain] })).isProven)
      (result === "pass" ? signatures : unread).push(instruction);
  if (isByEnvelope) return { isByEnvelope, signatures, unread, isUnfinished: false };
  // A check that threw could have passed for the author's own domain.
  const own = { result: "temperror", domain: shown.domain } as const;
  const possible = await judge({
    spf: [spf ?? own].filter(({ result }) => result === "temperror" || result === "pass").map(({ domain }) => domain),
    dkim: (dkim ?? [own]).filter(({ result }) => result === "temperror").map(({ domain }) => domain),
  });
  return {
    isByEnvelope,
    signatures,
    unread,
    isUnfinished: isUnfinished || possible.isProven || possible.result === "temperror",
  };
}
