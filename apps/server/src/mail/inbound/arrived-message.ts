/** The first stages of the mail path: screens a received message, then authenticates its author. */
import { isAscii } from "node:buffer";
import {
  addressesOf,
  countFields,
  fieldValue,
  type HeaderBlock,
  headerLimits,
  MailSyntaxError,
  readHeader,
  splitAddress,
  splitAliasAddress,
  unstuff,
} from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../../core/message/message.ts";
import { bounds } from "../../limits/table.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import { ENCRYPTION_PASSES_MAX, readEncryptionPasses } from "../message/encrypted-copy.ts";
import { accept, authorUnreadable, defer, endWith, reject, type StageVerdict } from "../reply.ts";
import type { ReceivedMail } from "../smtp/session-handlers.ts";
import type { AuthorInstruction, ResolvedRecipient, Transaction } from "../transaction.ts";
import type { Authenticated, ToAuthenticate } from "./authenticate/authenticate.ts";

export interface ArrivedMessage {
  readonly transaction: Transaction;
  readonly mail: ReceivedMail;
}

export interface ArrivalDeps {
  random: Random;
  clock: Clock;
}

export function arrive(mail: ReceivedMail, deps: ArrivalDeps): ArrivedMessage {
  return { transaction: transactionOf(mail, deps), mail };
}

function transactionOf(mail: ReceivedMail, { random, clock }: ArrivalDeps): Transaction {
  const { mailFrom, secure, esmtp } = mail;
  const base = mailFrom.smtpUtf8 ? "UTF8SMTP" : "ESMTP";
  return {
    messageId: random.uuid(),
    envelope: {
      envelopeFrom: mailFrom.envelopeFrom,
      helo: mail.helo,
      clientAddress: mail.clientAddress,
      protocol: esmtp ? (secure ? `${base}S` : base) : "SMTP",
      receivedAt: clock.now(),
      // 8-bit even without BODY=8BITMIME (RFC 6152): more clients omit it wrongly than hosts reject 8BITMIME.
      eightBit: mailFrom.eightBit || !isAscii(mail.wire),
      smtpUtf8: mailFrom.smtpUtf8,
    },
    recipients: mail.recipients,
    wire: mail.wire,
    isOurs: mail.isOurs ?? false,
  };
}

export interface Screened {
  header: HeaderBlock;
  deliveredTo: ReadonlySet<string>;
}

export interface ScreenedMessage extends ArrivedMessage {
  readonly screened: Screened;
}

export function screenMessage(message: ArrivedMessage): StageVerdict<ScreenedMessage> {
  const verdict = screen(message.transaction.wire);
  const notes = ["loops, header size"];
  return verdict.verdict === "accept" ? accept({ ...message, screened: verdict.value }, notes) : { ...verdict, notes };
}

/** Checks header size and mail loops, for the MX and for submission. */
export function screen(wire: Buffer): StageVerdict<Screened> {
  const header = readWhole(wire);
  if (header === null) return reject("header_too_large");
  if (countFields(header.fields, "received") >= bounds.message.hops) return reject("mail_loop");
  if (readEncryptionPasses(wire, header.fields) >= ENCRYPTION_PASSES_MAX) return reject("mail_loop");
  const deliveredTo = header.fields.filter((field) => field.name === "delivered-to");
  return accept({ header, deliveredTo: new Set(deliveredTo.map((field) => fieldValue(wire, field).toLowerCase())) });
}

function readWhole(wire: Buffer): HeaderBlock | null {
  try {
    return readHeader(wire, headerLimits);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

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

/** @returns a rejection by the policy of the sender's domain, a deferral when that can't be read */
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
  // A bounce address proves that a message concerns our mail, and a probe shows the results; no text is passed on.
  const isForUs = transaction.recipients.every(({ kind }) => kind === "bounce" || kind === "probe");
  if (refusal !== null && !isForUs) return { ...verdicts[refusal], notes };
  return accept(withFindings(message, found, instruction), notes);
}

/** Adds the client's host name, whose look-up began at the connection, so it has usually finished. */
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

/** Whether it matters that the owner wrote: the message would leave as the alias, or is an absence note. */
function mayBeInstructed({ transaction, screened }: ScreenedMessage): (recipient: ResolvedRecipient) => boolean {
  const lostTags = lostTagsOf(transaction, screened.header);
  return (recipient) =>
    recipient.kind === "reply" ||
    recipient.kind === "bounce" ||
    (recipient.kind === "alias" && recipient.sendTag !== undefined) ||
    lostTags.has(recipient);
}

const PLUS = 0x2b;

/** Some programs omit the tag in RCPT TO. @returns alias recipients that To and Cc name only by a send address */
export function lostTagsOf(
  { recipients, wire }: Pick<Transaction, "recipients" | "wire">,
  { fields, end }: HeaderBlock,
): ReadonlySet<ResolvedRecipient> {
  const header = wire.subarray(0, end);
  const lists = fields.filter(({ name }) => name === "to" || name === "cc");
  const hasPlus = lists.some((field) => header.subarray(field.start, field.end).includes(PLUS));
  if (!hasPlus || !recipients.some(({ kind }) => kind === "alias")) return new Set();
  const tagsOf = tagsByAlias(["to", "cc"].flatMap((name) => addressesOf({ header, fields }, name).mailboxes));
  const taken = new Set(recipients.flatMap((to) => (to.kind === "alias" && to.sendTag ? [to.sendTag.address] : [])));
  const hasLostTag = (recipient: ResolvedRecipient) => {
    if (recipient.kind !== "alias" || recipient.sendTag !== undefined) return false;
    const named = tagsOf.get(recipient.route.address) ?? [];
    return named.length > 0 && named.every(({ address, tag }) => tag.includes("=") && !taken.has(address));
  };
  return new Set(recipients.filter(hasLostTag));
}

interface Named {
  address: string;
  tag: string;
}

/** Tags of the addresses in To and Cc by alias; "" for an address without one. */
function tagsByAlias(mailboxes: readonly { address: string }[]): ReadonlyMap<string, readonly Named[]> {
  const named = mailboxes.map(({ address }) => {
    const { local, domain } = splitAddress(address);
    const { name, tag } = splitAliasAddress(local);
    return { alias: `${name}@${domain}`.toLowerCase(), address: address.toLowerCase(), tag: tag ?? "" };
  });
  return Map.groupBy(named, ({ alias }) => alias);
}
