/**
 * Whether the alias' owner wrote a message to a reply or send address. DKIM does not prove that: whoever holds a signed
 * message can send it anywhere. Where other people use the domain, only MAIL FROM tells them apart.
 */
import {
  addressesOf,
  asciiDomainOf,
  domainOf,
  type HeaderBlock,
  readAutoSubmitted,
  splitAddress,
} from "@kauke/mail-rfc";
import { type AliasRoute, mailboxesAmong } from "../../core/alias/alias.ts";
import type { DestinationStore } from "../../core/destination/destination.ts";
import { isMailboxOf, isPublicMailHost, sameMailbox } from "../../core/destination/same-mailbox.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";

export interface OwnerProof {
  /** `envelope`: by SPF, or this process sent it. `signature`: anybody may have sent the author's message again. */
  by: "envelope" | "signature";
  /** Destination that wrote the message; `null` when the alias itself did. */
  destination: string | null;
}

/** `unfinished`: an unfinished check could prove an instruction. `null`: no proof. */
export type OwnerProofResult = OwnerProof | "unfinished" | null;

interface OwnerProofDeps {
  domains: Pick<MailDomains, "has">;
  destinations: Pick<DestinationStore, "isSharedDomain">;
}

/** Looks at the proof before the author, so that nobody can guess the owner's address by the result. */
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

/** Empty if one is not ours: others have a copy, and what we do with it must not show whose the alias is. */
function addressesNamed(
  transaction: Transaction,
  header: HeaderBlock,
  domains: OwnerProofDeps["domains"],
): ReadonlySet<string> {
  const lists = ["to", "cc"].map((name) => addressesOf(sourceOf(transaction, header), name));
  const addresses = lists.flatMap(({ mailboxes }) => mailboxes.map(({ address }) => address.toLowerCase()));
  const isOurs = lists.every(({ looseCount, isCut }) => looseCount === 0 && !isCut);
  return new Set(isOurs && addresses.every((address) => domains.has(domainOf(address))) ? addresses : []);
}

const sourceOf = ({ wire }: Transaction, { end, fields }: HeaderBlock) => ({ header: wire.subarray(0, end), fields });

export interface SendingFacts {
  /** A reply address is the owner's secret; a send address can be written by anybody. */
  to: "reply" | "send";
  envelopeFrom: string;
  author: string;
  /** SPF passes for this envelope, aligned with From. */
  isBySpf: boolean;
  /** An aligned signature covers To and Cc, which name this very address. */
  isSigned: boolean;
  /** `Auto-Submitted: auto-replied` from the null sender, which no person sends. */
  isNote: boolean;
}

export type MailboxProof = "envelope" | "signature" | null;

/** `own`: nobody else uses the author's domain; `shared`: other people do. Pure. */
export function mailboxProof(facts: SendingFacts): { own: MailboxProof; shared: MailboxProof } {
  const { to, isBySpf, isSigned, isNote } = facts;
  if (isBySpf && isSentBy(facts)) return { own: "envelope", shared: "envelope" };
  const bySignature = isSigned ? "signature" : null;
  // The owner's own host, which may send mail with its own envelope, and notes from the null sender.
  const isByOwnHost = isBySpf && to === "reply";
  return { own: isByOwnHost ? "envelope" : bySignature, shared: to === "reply" && isNote ? bySignature : null };
}

/** MAIL FROM may have a sub-address (`ann+list@`) at public hosts; elsewhere it may be somebody else's name. */
function isSentBy({ to, envelopeFrom, author }: SendingFacts): boolean {
  if (envelopeFrom === "") return false;
  const sender = withoutBounceTag(envelopeFrom);
  return to === "reply" || isPublicMailHost(asciiDomainOf(author))
    ? sameMailbox(sender) === sameMailbox(author)
    : isMailboxOf(sender, author);
}

/** BATV (draft-levine-smtp-batv), as drafted and as Exim and Barracuda write it. */
const bounceTags = [/^prvs=[0-9a-f]{10}=(.+)$/i, /^prvs=(.+)\/[0-9a-f]{10}$/i, /^btv1==[0-9a-f]{11}==(.+)$/i];

function withoutBounceTag(address: string): string {
  const { local } = splitAddress(address);
  for (const form of bounceTags) {
    const untagged = form.exec(local)?.[1];
    if (untagged !== undefined) return `${untagged}@${asciiDomainOf(address)}`;
  }
  return address;
}

/** Only for an authenticated author, or anybody could probe for the owner's address. @returns `null` for others */
export function writingDestination(
  { wire }: Pick<Transaction, "wire">,
  header: HeaderBlock,
  route: AliasRoute,
): string | null {
  const authors = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from").mailboxes;
  const [author] = authors;
  if (author === undefined || authors.length !== 1) return null;
  return mailboxesAmong(route.destinations).find((address) => isMailboxOf(author.address, address)) ?? null;
}
