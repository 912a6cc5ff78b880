/**
 * Decides whether a message to a reply or send address is an instruction of the alias' owner, and how that is proven.
 * Pure. DKIM alone proves an author, not an instruction: whoever holds a signed message of the owner can send it to any
 * address, to find out which alias is the owner's or to have it sent as the alias.
 */
import { addressesOf, type HeaderBlock } from "@kauke/mail-rfc";
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
 * @returns a function that decides for each recipient of the message
 */
export function ownerProofs(
  transaction: Transaction,
  header: HeaderBlock,
): (recipient: Pick<ReplyRecipient, "address" | "route">) => OwnerProofResult {
  const { envelope, isOurs, instruction = null } = transaction;
  if (isOurs) {
    return ({ route }) => (envelope.envelopeFrom === route.address ? { by: "envelope", destination: null } : null);
  }
  if (instruction === null) return () => null;
  const { isByEnvelope, signatures, isUnfinished } = instruction;
  const named = isByEnvelope || signatures.length === 0 ? new Set() : addressesNamed(transaction, header);
  return ({ address, route }) => {
    const by = isByEnvelope ? "envelope" : named.has(address.toLowerCase()) ? "signature" : null;
    if (by === null) return isUnfinished ? "unfinished" : null;
    const destination = writingDestination(transaction, header, route);
    return destination === null ? null : { by, destination };
  };
}

/** @returns the addresses in To and Cc, in lower case */
function addressesNamed({ wire }: Transaction, { end, fields }: HeaderBlock): Set<string> {
  const source = { header: wire.subarray(0, end), fields };
  const mailboxes = ["to", "cc"].flatMap((name) => addressesOf(source, name).mailboxes);
  return new Set(mailboxes.map(({ address }) => address.toLowerCase()));
}
