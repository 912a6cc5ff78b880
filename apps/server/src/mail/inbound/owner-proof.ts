/**
 * Decides whether a message to a reply or send address is an instruction of the alias' owner. DKIM alone proves an
 * author, not an instruction: whoever holds a signed message of the owner can send it to any address, to find out which
 * alias is the owner's or to have it sent as the alias. SPF and DKIM prove a domain, not a mailbox: where other people
 * use the same domain, only MAIL FROM tells them apart, and a host that lets its users send as each other in the
 * envelope too can't be told from the owner.
 */
import {
  addressesOf,
  asciiDomainOf,
  domainOf,
  type HeaderBlock,
  readAutoSubmitted,
  splitAddress,
} from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { DestinationStore } from "../../core/destination/destination.ts";
import { isPublicMailHost } from "../../core/destination/public-mail-hosts.ts";
import { isMailboxOf, sameMailbox } from "../../core/destination/same-mailbox.ts";
import { mailboxesOf } from "../message/write-as-alias.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";

export interface OwnerProof {
  /**
   * `envelope`: the author's host sent this message, by SPF; or this process did. `signature`: the author wrote to this
   * very address, but anybody may have sent the message here again.
   */
  by: "envelope" | "signature";
  /** The mailbox of the alias that wrote the message; `null` when the alias itself did. */
  destination: string | null;
}

/** `unfinished`: a check that did not finish could prove an instruction, whoever the author is. `null`: no proof. */
export type OwnerProofResult = OwnerProof | "unfinished" | null;

interface OwnerProofDeps {
  /** Our mail domains, in lower case. */
  domains: ReadonlySet<string>;
  destinations: Pick<DestinationStore, "isSharedDomain">;
}

/**
 * The proof is looked at before the author: without one, the result is the same for every From, so that nobody can
 * guess the owner's address.
 * @returns a function that decides for each recipient of the message
 */
export function ownerProofs(
  transaction: Transaction,
  header: HeaderBlock,
  { domains, destinations }: OwnerProofDeps,
): (recipient: Pick<ReplyRecipient, "address" | "route" | "forOthers">) => Promise<OwnerProofResult> {
  const { envelope, isOurs, instruction = null } = transaction;
  if (isOurs) {
    return async ({ route }) =>
      envelope.envelopeFrom === route.address ? { by: "envelope", destination: null } : null;
  }
  const author = addressesOf(sourceOf(transaction, header), "from").mailboxes[0]?.address;
  if (instruction === null || author === undefined) return async () => null;
  const { isByEnvelope, signatures, isUnfinished } = instruction;
  const named = signatures.length === 0 ? new Set() : addressesNamed(transaction, header, domains);
  const isNote = envelope.envelopeFrom === "" && readAutoSubmitted(sourceOf(transaction, header)) === "auto-replied";
  let isShared: Promise<boolean> | null = null;
  const isAuthorsDomainShared = () => (isShared ??= destinations.isSharedDomain(asciiDomainOf(author)));
  return async ({ address, route, forOthers }) => {
    const proof = mailboxProof({
      to: forOthers === undefined ? "reply" : "send",
      envelopeFrom: envelope.envelopeFrom,
      author,
      isBySpf: isByEnvelope,
      isSigned: named.has(address.toLowerCase()),
      isNote,
    });
    const by = proof.own !== proof.shared && (await isAuthorsDomainShared()) ? proof.shared : proof.own;
    if (by === null) return isUnfinished ? "unfinished" : null;
    const destination = writingDestination(transaction, header, route);
    return destination === null ? null : { by, destination };
  };
}

/**
 * @returns the addresses in To and Cc, in lower case; none if one of them is not ours or can't be read. Such a message
 * is never sent, and others have a copy of it: what becomes of it here must not tell them whose the alias is.
 */
function addressesNamed(
  transaction: Transaction,
  header: HeaderBlock,
  domains: ReadonlySet<string>,
): ReadonlySet<string> {
  const lists = ["to", "cc"].map((name) => addressesOf(sourceOf(transaction, header), name));
  const addresses = lists.flatMap(({ mailboxes }) => mailboxes.map(({ address }) => address.toLowerCase()));
  const isOurs = lists.every(({ looseCount, isCut }) => looseCount === 0 && !isCut);
  return new Set(isOurs && addresses.every((address) => domains.has(domainOf(address))) ? addresses : []);
}

const sourceOf = ({ wire }: Transaction, { end, fields }: HeaderBlock) => ({ header: wire.subarray(0, end), fields });

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

/** What proves the mailbox: `own` if nobody else uses the author's domain, `shared` if other people do. Pure. */
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

/**
 * Finds the destination of the alias that is the only author in header From, in any spelling of the mailbox. Call it
 * only for an authenticated author, or anybody could probe for the owner's address.
 * @returns `null` when From names somebody else or several people
 */
export function writingDestination(
  { wire }: Pick<Transaction, "wire">,
  header: HeaderBlock,
  route: AliasRoute,
): string | null {
  const authors = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from").mailboxes;
  const [author] = authors;
  if (author === undefined || authors.length !== 1) return null;
  return mailboxesOf(route).find((address) => isMailboxOf(author.address, address)) ?? null;
}
