/**
 * Decides whether a message to a reply or send address is an instruction of the alias' owner, and how that is proven
 * (`mailbox-proof.ts`). DKIM alone proves an author, not an instruction: whoever holds a signed message of the owner can send it to any
 * address, to find out which alias is the owner's or to have it sent as the alias.
 */
import { addressesOf, asciiDomainOf, domainOf, type HeaderBlock, readAutoSubmitted } from "@kauke/mail-rfc";
import type { DestinationStore } from "../../core/destination/destination.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";
import { mailboxProof } from "./mailbox-proof.ts";
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
