/**
 * Decides whether a message to a reply or send address is an instruction of the alias' owner, and how that is proven.
 * Pure. DKIM alone proves an author, not an instruction: whoever holds a signed message of the owner can send it to any
 * address, to find out which alias is the owner's or to have it sent as the alias.
 */
import { addressesOf, domainOf, type HeaderBlock } from "@kauke/mail-rfc";
import { isMailboxOf } from "../../core/destination/same-mailbox.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";
import { writingDestination } from "./writing-destination.ts";

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

/**
 * The proof is looked at before the author: without one, the result is the same for every From, so that nobody can
 * guess the owner's address.
 * @param domains our mail domains, in lower case
 * @returns a function that decides for each recipient of the message
 */
export function ownerProofs(
  transaction: Transaction,
  header: HeaderBlock,
  domains: ReadonlySet<string>,
): (recipient: Pick<ReplyRecipient, "address" | "route" | "forOthers">) => OwnerProofResult {
  const { envelope, isOurs, instruction = null } = transaction;
  if (isOurs) {
    return ({ route }) => (envelope.envelopeFrom === route.address ? { by: "envelope", destination: null } : null);
  }
  if (instruction === null) return () => null;
  const { isByEnvelope, signatures, isUnfinished } = instruction;
  const named = signatures.length === 0 ? new Set() : addressesNamed(transaction, header, domains);
  const isByAuthor = isByEnvelope && isSentByAuthor(transaction, header);
  return ({ address, route, forOthers }) => {
    // Anybody can write a send address, so there SPF must prove the mailbox and not only a host of its domain.
    const isProvenBySpf = forOthers === undefined ? isByEnvelope : isByAuthor;
    const by = isProvenBySpf ? "envelope" : named.has(address.toLowerCase()) ? "signature" : null;
    if (by === null) return isUnfinished ? "unfinished" : null;
    const destination = writingDestination(transaction, header, route);
    return destination === null ? null : { by, destination };
  };
}

/** Whether the envelope sender is the mailbox in From: others may use hosts of the same domain, e.g. a mailing list. */
function isSentByAuthor(transaction: Transaction, header: HeaderBlock): boolean {
  const { envelopeFrom } = transaction.envelope;
  const [author] = addressesOf(sourceOf(transaction, header), "from").mailboxes;
  return envelopeFrom !== "" && author !== undefined && isMailboxOf(envelopeFrom, author.address);
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
