/**
 * Mail to `alias+person=host.example@domain`: a message from the owner of the alias is sent to `person@host.example` as
 * the alias, like one to a reply address. From anybody else the tag has no meaning, and the message is forwarded to the
 * owner.
 */
import type { HeaderBlock } from "@kauke/mail-rfc";
import type { AliasRecipient, ReplyRecipient, ResolvedRecipient, Transaction } from "../transaction.ts";
import { accept, defer, type StageVerdict } from "../verdict.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import { writingDestination } from "./writing-destination.ts";

/**
 * Stage of the mail path that turns the owner's tagged addresses into reply recipients. The owner is the author of the
 * message if header From names a confirmed destination of the alias and the author's domain is authenticated.
 * @returns a deferral for any author while authentication is unfinished, so that the SMTP response does not reveal
 * which mailboxes an alias has
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
