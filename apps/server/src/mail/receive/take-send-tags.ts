/**
 * Mail to `alias+person=host.example@domain`: a message that the owner of the alias sent to this address goes to
 * `person@host.example` as the alias, like one to a reply address. From anybody else the tag has no meaning, and the
 * message is forwarded to the owner.
 */
import { type HeaderBlock, readAutoSubmitted } from "@kauke/mail-rfc";
import type { AliasRecipient, ReplyRecipient, ResolvedRecipient, Transaction } from "../transaction.ts";
import { accept, defer, type StageVerdict } from "../verdict.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import { ownerProofs } from "./owner-proof.ts";

/**
 * Stage of the mail path that turns the owner's tagged addresses into reply recipients, if a confirmed destination of
 * the alias sent the message (`owner-proof.ts`).
 * @returns a deferral for any author while authentication is unfinished, so that the SMTP response does not reveal
 * which mailboxes an alias has
 */
export function takeSendTags(message: ScreenedMessage): StageVerdict<ScreenedMessage> {
  const { transaction, screened } = message;
  if (transaction.isOurs || !transaction.recipients.some(hasSendTag)) return accept(message);
  const proofOf = ownerProofs(transaction, screened.header);
  const isWritten = !isAutomatic(transaction, screened.header);
  const recipients: ResolvedRecipient[] = [];
  for (const recipient of transaction.recipients) {
    if (!hasSendTag(recipient)) {
      recipients.push(recipient);
      continue;
    }
    const reply = replyOf(recipient);
    const proof = proofOf(reply);
    if (proof === "unfinished") return defer("proof_unfinished");
    const isInstructed =
      isWritten && proof !== null && recipient.route.unconfirmed?.has(proof.destination ?? "") !== true;
    recipients.push(isInstructed ? reply : recipient);
  }
  return accept({ ...message, transaction: { ...transaction, recipients } });
}

type TaggedRecipient = AliasRecipient & Required<Pick<AliasRecipient, "sendTag">>;

function hasSendTag(recipient: ResolvedRecipient): recipient is TaggedRecipient {
  return recipient.kind === "alias" && recipient.sendTag !== undefined;
}

/**
 * Whether a program wrote the message, e.g. an absence note. Anybody can make the owner's program write to an address
 * that they choose, so it instructs nothing.
 */
function isAutomatic({ envelope, wire }: Transaction, { end, fields }: HeaderBlock): boolean {
  const keyword = readAutoSubmitted({ header: wire.subarray(0, end), fields });
  return envelope.envelopeFrom === "" || (keyword !== null && keyword !== "no");
}

function replyOf(recipient: TaggedRecipient): ReplyRecipient {
  const { route, sendTag } = recipient;
  const correspondent = { name: null, address: sendTag.recipient };
  return { kind: "reply", address: sendTag.address, correspondent, route, forOthers: recipient };
}
