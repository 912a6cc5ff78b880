/** Mail to `alias+person=host.example@domain`: if the owner wrote it, it goes to `person@host.example` as the alias. */
import { fieldValue, firstValue, type HeaderBlock } from "@kauke/mail-rfc";
import { accept, defer, endWith, type SmtpReply, type StageVerdict, sendAddressReplies } from "../reply.ts";
import type { AliasRecipient, ReplyRecipient, ResolvedRecipient, Transaction } from "../transaction.ts";
import { lostTagsOf, type ScreenedMessage } from "./arrived-message.ts";
import { ownerProofs } from "./owner-proof.ts";
import { type PrepareRepliesDeps, proofDeps } from "./owner-replies.ts";

/** Defers any author while authentication is unfinished, so that the reply does not reveal the alias' mailboxes. */
export async function takeSendTags(
  message: ScreenedMessage,
  deps: PrepareRepliesDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction, screened } = message;
  if (transaction.isOurs) return accept(message);
  const lostTags = lostTagsOf(transaction, screened.header);
  if (lostTags.size === 0 && !transaction.recipients.some(hasSendTag)) return accept(message);
  const proofOf = ownerProofs(transaction, screened.header, proofDeps(deps));
  const isWritten = !isAutomatic(transaction, screened.header);
  const recipients: ResolvedRecipient[] = [];
  let refusal: SmtpReply | null = null;
  for (const recipient of transaction.recipients) {
    if (recipient.kind !== "alias" || !(hasSendTag(recipient) || lostTags.has(recipient))) {
      recipients.push(recipient);
      continue;
    }
    const reply = replyOf(recipient);
    const proof = await proofOf(reply);
    // The verdict is for the whole transaction: no author must read a refusal while any recipient's proof is open.
    if (proof === "unfinished") return defer("proof_unfinished");
    const isOwner = proof !== null && recipient.route.unconfirmed?.has(proof.destination ?? "") !== true;
    const problem = problemOf(recipient, isWritten);
    recipients.push(isOwner && problem === null ? reply : recipient);
    if (isOwner && proof.by === "envelope") refusal ??= problem;
  }
  return refusal === null ? accept({ ...message, transaction: { ...transaction, recipients } }) : endWith(refusal);
}

/** @returns why the owner's message can't be sent to whom its address names; `null` if it can */
function problemOf({ sendTag }: AliasRecipient, isWritten: boolean): SmtpReply | null {
  if (sendTag === undefined) return sendAddressReplies.lost;
  if (sendTag.recipient === null) return sendAddressReplies.unreadable;
  return isWritten ? null : sendAddressReplies.automatic;
}

const hasSendTag = (recipient: ResolvedRecipient): boolean =>
  recipient.kind === "alias" && recipient.sendTag !== undefined;

/** An absence note (RFC 3834 §5), receipt (RFC 8098 §3) or invitation reply (RFC 6047 §2.4) instructs nothing. */
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

/** A correspondent whose tag was lost or can't be read serves only as proof. */
function replyOf(recipient: AliasRecipient): ReplyRecipient {
  const { route, sendTag } = recipient;
  const correspondent = { name: null, address: sendTag?.recipient ?? "" };
  return { kind: "reply", address: sendTag?.address ?? route.address, correspondent, route, forOthers: recipient };
}
