/**
 * Mail to `alias+person=host.example@domain`: from the owner of the alias it is sent to the person as the alias, like a
 * message to a reply address. From anybody else the tag has no meaning, and the message is forwarded.
 */
import type { HeaderBlock } from "@kauke/mail-rfc";
import type { AliasRecipient, ReplyRecipient, ResolvedRecipient, Transaction } from "../transaction.ts";
import { accept, defer, type StageVerdict } from "../verdict.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import { writingDestination } from "./writing-destination.ts";

/**
 * The stage that makes recipients of the owner's tagged addresses. The owner is a confirmed destination of that alias,
 * proven by its domain.
 * @returns a deferral while the proof of the author is unfinished, whoever it is, so that the answer tells nobody which
 * mailboxes an alias has
 */
export function takeSendTags(message: ScreenedMessage): StageVerdict<ScreenedMessage> {
  const { transaction, screened } = message;
  if (transaction.isOurs || !transaction.recipients.some(hasSendTag)) return accept(message);
  if (transaction.envelope.authentication?.isAligned !== true)
    return transaction.isProofUnfinished === true ? defer("proof_unfinished") : accept(message);
  const recipients = transaction.recipients.map((recipient) =>
    hasSendTag(recipient) && isOwner(transaction, screened.header, recipient) ? replyOf(recipient) : recipient,
  );
  return accept({ ...message, transaction: { ...transaction, recipients } });
}

type TaggedRecipient = AliasRecipient & Required<Pick<AliasRecipient, "sendTag">>;

function hasSendTag(recipient: ResolvedRecipient): recipient is TaggedRecipient {
  return recipient.kind === "alias" && recipient.sendTag !== undefined;
}

function isOwner(transaction: Transaction, header: HeaderBlock, { route }: AliasRecipient): boolean {
  const destination = writingDestination(transaction, header, route);
  return destination !== null && route.unconfirmed?.has(destination) !== true;
}

function replyOf({ route, sendTag }: TaggedRecipient): ReplyRecipient {
  const { address, recipient } = sendTag;
  return { kind: "reply", address, correspondent: { name: null, address: recipient }, route };
}
