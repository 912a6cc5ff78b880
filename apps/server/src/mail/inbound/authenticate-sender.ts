import { unstuff } from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../../core/message/message.ts";
import { accept, authorUnreadable, defer, endWith, reject, type StageVerdict } from "../reply.ts";
import type { AuthorInstruction, ResolvedRecipient } from "../transaction.ts";
import type { Authenticated, ToAuthenticate } from "./authenticate/authenticate.ts";
import type { ScreenedMessage } from "./screen.ts";
import { lostTagsOf } from "./send-tags.ts";

export type Authenticate = (mail: ToAuthenticate) => Promise<Authenticated>;

const provenByUs = {
  spf: "pass",
  dkim: "none",
  dmarc: "none",
  arc: "none",
  isAligned: true,
  results: null,
} as const satisfies MessageAuthentication;

const instructedByUs: AuthorInstruction = { isByEnvelope: true, signatures: [], unread: [], isUnfinished: false };

/**
 * @param authenticate `null` when sender authentication is switched off
 * @returns a rejection when the policy of the sender's domain demands it, a deferral when the policy can't be read
 */
export async function authenticateSender(
  message: ScreenedMessage,
  authenticate: Authenticate | null,
): Promise<StageVerdict<ScreenedMessage>> {
  const { mail } = message;
  if (mail.isOurs ?? mail.isProven ?? false) return accept(withFindings(message, provenByUs, instructedByUs));
  return authenticate === null ? accept(message) : checkSender(message, authenticate);
}

const verdicts = {
  dmarc_reject: reject("dmarc_reject"),
  author_unreadable: endWith(authorUnreadable),
  proof_unfinished: defer("proof_unfinished"),
};

async function checkSender(
  message: ScreenedMessage,
  authenticate: Authenticate,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction } = message;
  const { found, refusal, instruction } = await authenticate({
    ...transaction.envelope,
    raw: unstuff(transaction.wire),
    mayInstruct: transaction.recipients.some(mayBeInstructed(message)),
  });
  const { spf, dkim, dmarc, arc } = found;
  const notes = [`spf=${spf} dkim=${dkim} dmarc=${dmarc} arc=${arc}`];
  // A bounce address proves that a message concerns our mail, and no text of an unproven one is passed on.
  const isForUs = transaction.recipients.every(({ kind }) => kind === "bounce");
  if (refusal !== null && !isForUs) return { ...verdicts[refusal], notes };
  return accept(withFindings(message, found, instruction), notes);
}

/** Adds the client's host name. The look-up began when the client connected, so it has usually finished. */
export async function nameClient(message: ScreenedMessage): Promise<ScreenedMessage> {
  const clientName = (await message.mail.clientName) ?? null;
  if (clientName === null) return message;
  const { transaction } = message;
  return { ...message, transaction: { ...transaction, envelope: { ...transaction.envelope, clientName } } };
}

function withFindings(
  message: ScreenedMessage,
  authentication: MessageAuthentication,
  instruction: AuthorInstruction | null,
): ScreenedMessage {
  const { transaction } = message;
  const envelope = { ...transaction.envelope, authentication };
  return { ...message, transaction: { ...transaction, envelope, instruction } };
}

/** Whether the owner's authorship matters: the message would leave as the alias, or is an absence note. */
function mayBeInstructed({ transaction, screened }: ScreenedMessage): (recipient: ResolvedRecipient) => boolean {
  const lostTags = lostTagsOf(transaction, screened.header);
  return (recipient) =>
    recipient.kind === "reply" ||
    recipient.kind === "bounce" ||
    (recipient.kind === "alias" && recipient.sendTag !== undefined) ||
    lostTags.has(recipient);
}
