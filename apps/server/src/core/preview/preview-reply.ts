/** Replies to a message of the preview inbox as a mail program would, so that replying can be tried without one. */
import {
  addressesOf,
  addressKey,
  canStandInField,
  composeMessage,
  decodeEncodedWords,
  type FieldText,
  fieldTextBytes,
  findMessageIds,
  firstValue,
  formatAddressField,
  type HeaderSource,
  headerField,
  joinFields,
  type Mailbox,
  MailSyntaxError,
  makeMessageId,
  NO_FIELD,
  parseAddress,
  readHeader,
} from "@kauke/mail-rfc";
import type { Clock, Random } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import type { PreviewArrival, PreviewInbox } from "./preview-inbox.ts";

export interface PreviewReply {
  from: string;
  recipients: readonly string[];
  raw: Buffer;
}

export interface TypedReply {
  text: string;
  all: boolean;
  at: Date;
  random: Uint8Array;
}

/** @returns `null` when the message names nobody to reply to */
export function writePreviewReply(arrival: PreviewArrival, typed: TypedReply): PreviewReply | null {
  try {
    return composeReply(arrival, typed);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

function composeReply({ rcptTo, raw }: PreviewArrival, { text, all, at, random }: TypedReply): PreviewReply | null {
  const { fields, end } = readHeader(raw);
  const source = { header: raw.subarray(0, end), fields };
  const { to, cc } = peopleToReplyTo(source, { own: rcptTo, all });
  if (to === undefined) return null;
  const reply = composeMessage({
    from: rcptTo,
    to: [to.address],
    subject: subjectOf(source),
    text,
    at,
    messageId: makeMessageId(random, parseAddress(rcptTo).domain),
  });
  const more = fieldTextBytes(formatAddressField("Cc", cc), threadFields(source));
  const recipients = [to, ...cc].map((mailbox) => mailbox.address);
  return { from: rcptTo, recipients, raw: Buffer.concat([more, reply]) };
}

function peopleToReplyTo(source: HeaderSource, { own, all }: { own: string; all: boolean }) {
  const named = (field: string) => addressesOf(source, field).mailboxes;
  const replyTo = named("reply-to");
  const authors = replyTo.length > 0 ? replyTo : named("from");
  const people = all ? [...authors, ...named("to"), ...named("cc")] : authors;
  const byKey = new Map<string, Mailbox>();
  for (const mailbox of people) {
    const key = addressKey(mailbox.address);
    if (!byKey.has(key)) byKey.set(key, mailbox);
  }
  byKey.delete(addressKey(own));
  const [to, ...cc] = byKey.values();
  return { to, cc };
}

function subjectOf({ header, fields }: HeaderSource): string {
  const subject = decodeEncodedWords(firstValue(header, fields, "subject") ?? "");
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}

/** In-Reply-To and References (RFC 5322 §3.6.4), with one identifier per line. */
function threadFields({ header, fields }: HeaderSource): FieldText {
  const idsIn = (name: string) => findMessageIds(firstValue(header, fields, name) ?? "").filter(canStandInField);
  const [original] = idsIn("message-id");
  if (original === undefined) return NO_FIELD;
  const before = idsIn("references");
  const thread = [...(before.length > 0 ? before : idsIn("in-reply-to")), original];
  return joinFields([headerField("In-Reply-To", [original]), headerField("References", thread, { columns: 1 })]);
}

/** What of the forwarded message stands below the typed text. */
export interface Forwarded {
  from: string;
  subject: string;
  text: string | null;
}

/** A new message, as a mail program forwards one: from the mailbox itself, without attachments. */
export function writePreviewForward(
  { rcptTo }: PreviewArrival,
  forwarded: Forwarded,
  { to, text, at, random }: Omit<TypedReply, "all"> & { to: string },
): PreviewReply {
  const { from, subject } = forwarded;
  const facts = [
    ["From", from],
    ["Subject", subject],
  ];
  const below = ["---------- Forwarded message ----------", ...facts.map((fact) => fact.join(": "))];
  const raw = composeMessage({
    from: rcptTo,
    to: [to],
    subject: /^fwd?:/i.test(subject) ? subject : `Fwd: ${subject}`,
    text: [text, "", ...below, "", forwarded.text ?? ""].join("\n"),
    at,
    messageId: makeMessageId(random, parseAddress(rcptTo).domain),
  });
  return { from: rcptTo, recipients: [to], raw };
}

/** Sends the reply as authenticated mail. @returns `null` when accepted, otherwise the text of the rejection */
export type SendPreviewReply = (reply: PreviewReply) => Promise<string | null>;

export interface PreviewReplyDeps {
  inbox: PreviewInbox;
  send: SendPreviewReply | null;
  clock: Clock;
  random: Random;
}

export interface PreviewReplyRequest {
  id: string;
  text: string;
  all: boolean;
  forwardTo?: string | undefined;
}

/** @throws AppError `not_found`, `unavailable` without a mail path, `invalid` with the text of the rejection */
export async function replyToPreview(request: PreviewReplyRequest, deps: PreviewReplyDeps): Promise<void> {
  const { id, text, all, forwardTo } = request;
  const { inbox, send, clock, random } = deps;
  const arrival = inbox.arrival(id);
  if (arrival === null) throw new AppError("not_found");
  if (send === null) throw new AppError("unavailable");
  const typed = { text, at: clock.now(), random: random.bytes(16) };
  const forwarded = forwardTo === undefined ? null : await inbox.get(id);
  const reply =
    forwardTo === undefined || forwarded === null
      ? writePreviewReply(arrival, { ...typed, all })
      : writePreviewForward(arrival, forwarded, { ...typed, to: forwardTo });
  if (reply === null) throw new AppError("invalid", { message: "This message has nobody to reply to." });
  const refusal = await send(reply);
  if (refusal !== null) throw new AppError("invalid", { message: `Refused: ${refusal}.` });
}
