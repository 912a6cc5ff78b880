/**
 * Decides what shows that a mailbox of the alias wrote a message to a reply or send address. Pure. SPF and DKIM prove a
 * domain, not a mailbox. Where other people use the same domain, only MAIL FROM tells them apart: a host that lets its
 * users send as each other in the envelope too can't be told from the owner.
 */
import { asciiDomainOf, splitAddress } from "@kauke/mail-rfc";
import { isPublicMailHost } from "../../core/destination/public-mail-hosts.ts";
import { isMailboxOf, sameMailbox } from "../../core/destination/same-mailbox.ts";

export interface SendingFacts {
  /** A reply address is a secret of the owner; a send address can be written by anybody. */
  to: "reply" | "send";
  /** Address given in MAIL FROM; empty for the null sender. */
  envelopeFrom: string;
  /** The only mailbox in From. */
  author: string;
  /** Whether SPF passes for this envelope, aligned with From. */
  isBySpf: boolean;
  /** Whether an aligned signature covers To and Cc, and they name this very address. */
  isSigned: boolean;
  /** Whether it is an absence note (`Auto-Submitted: auto-replied` from the null sender), which no person sends. */
  isNote: boolean;
}

export type MailboxProof = "envelope" | "signature" | null;

/** What proves the mailbox, if the author's domain is its own, and if other people share the domain. */
export function mailboxProof(facts: SendingFacts): { own: MailboxProof; shared: MailboxProof } {
  const { to, isBySpf, isSigned, isNote } = facts;
  if (isBySpf && isSentBy(facts)) return { own: "envelope", shared: "envelope" };
  const bySignature = isSigned ? "signature" : null;
  // The owner's own host, which may send mail with an envelope of its own, and notes from the null sender.
  const isByOwnHost = isBySpf && to === "reply";
  return { own: isByOwnHost ? "envelope" : bySignature, shared: to === "reply" && isNote ? bySignature : null };
}

/**
 * Whether MAIL FROM is the author's own mailbox. A sub-address (`ann+list@`) is the author's at public hosts, which give
 * nobody a name with a plus; elsewhere it counts at a reply address only, since it may be somebody's name.
 */
function isSentBy({ to, envelopeFrom, author }: SendingFacts): boolean {
  if (envelopeFrom === "") return false;
  const sender = withoutBounceTag(envelopeFrom);
  return to === "reply" || isPublicMailHost(asciiDomainOf(author))
    ? sameMailbox(sender) === sameMailbox(author)
    : isMailboxOf(sender, author);
}

/** Forms by which hosts recognise their own bounces: BATV (draft-levine-smtp-batv), as drafted and as Exim and Barracuda write it. */
const bounceTags = [/^prvs=[0-9a-f]{10}=(.+)$/i, /^prvs=(.+)\/[0-9a-f]{10}$/i, /^btv1==[0-9a-f]{11}==(.+)$/i];

function withoutBounceTag(address: string): string {
  const { local } = splitAddress(address);
  for (const form of bounceTags) {
    const untagged = form.exec(local)?.[1];
    if (untagged !== undefined) return `${untagged}@${asciiDomainOf(address)}`;
  }
  return address;
}
