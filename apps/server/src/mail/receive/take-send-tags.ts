/**
 * Mail to `alias+person=host.example@domain`: a message that the owner of the alias sent to this address goes to
 * `person@host.example` as the alias, like one to a reply address. From anybody else the tag has no meaning, and the
 * message is forwarded to the owner.
 */
import { fieldValue, firstValue, type HeaderBlock } from "@kauke/mail-rfc";
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
export function takeSendTags(
  message: ScreenedMessage,
  { domains }: { domains: ReadonlySet<string> },
): StageVerdict<ScreenedMessage> {
  const { transaction, screened } = message;
  if (transaction.isOurs || !transaction.recipients.some(hasSendTag)) return accept(message);
  const proofOf = ownerProofs(transaction, screened.header, domains);
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
 * Whether a program may have written the message: an absence note (RFC 3834 §5), a receipt (RFC 8098 §3), a reply to
 * an invitation (RFC 6047 §2.4). Anybody can make the owner's program write to an address of their choice, so such a
 * message instructs nothing.
 */
function isAutomatic({ envelope, wire }: Transaction, { end, fields }: HeaderBlock): boolean {
  const header = wire.subarray(0, end);
  const submitted = fields.filter(({ name }) => name === "auto-submitted").map((field) => fieldValue(header, field));
  return (
    envelope.envelopeFrom === "" ||
    submitted.some((value) => !/^no\b/i.test(value)) ||
    /^(?:bulk|auto_reply|junk)\b/i.test(firstValue(header, fields, "precedence") ?? "") ||
    /^(?:multipart\/report\b|text\/calendar\b.*;\s*method="?reply\b)/i.test(
      firstValue(header, fields, "content-type") ?? "",
    )
  );
}

function replyOf(recipient: TaggedRecipient): ReplyRecipient {
  const { route, sendTag } = recipient;
  const correspondent = { name: null, address: sendTag.recipient };
  return { kind: "reply", address: sendTag.address, correspondent, route, forOthers: recipient };
}
