/**
 * Invitations in forwarded mail. A mail program that accepts one writes to its organizer from the real mailbox, so
 * organizer and attendees become reply addresses, as in the header. A calendar that can't be changed, for example
 * because it is signed, is sent as an attached message, which no program processes. The body is made from the received
 * bytes, both for the first attempt and for retries.
 */
import { createHmac } from "node:crypto";
import {
  type FieldText,
  fieldTextBytes,
  type HeaderBlock,
  type ReplyAddresses,
  simpleBodyHashOf,
  stuff,
  toBase32,
  unstuff,
} from "@kauke/mail-rfc";
import type { CalendarChange } from "./calendar-text.ts";
import { readMessageFields } from "./find-calendars.ts";
import { forwardCalendars } from "./forward-calendars.ts";
import { type CalendarPlan, planCalendars, withoutMeasures, writeCalendars } from "./rewrite-calendars.ts";
import { wrapMessage } from "./wrap-message.ts";

/** A message as it was received for an alias. */
export interface ReceivedMessage {
  messageId: string;
  envelope: { eightBit: boolean };
  wire: Buffer;
  header: HeaderBlock;
  /** Address of the alias, in lower case. */
  aliasAddress: string;
  replyKey: Buffer | null;
}

/** Header of a message as it leaves, and the reply addresses used in it. */
export interface ForwardedHeader {
  /** The whole new header block without the blank line. */
  header: Buffer;
  /** Our own fields at the top of `header`. */
  trace: readonly FieldText[];
  /** `null` when nobody gets a reply address. */
  replies: { addresses: ReplyAddresses } | null;
}

/** A body that replaces the received one. */
interface NewBody {
  /** Dot-stuffed chunks, the first without the blank line in front; most of them are views of the received message. */
  wire: readonly Buffer[];
  /** Body hash as DKIM signs it (simple canonicalization). */
  hash: Buffer;
  /** Bytes held in memory besides the received message. */
  newBytes: number;
}

interface ForwardedInvitations {
  /** The whole header block without the blank line. */
  header: Buffer;
  /** Builds the rewritten body. Call it once, just before the copy is sent. */
  makeBody(): NewBody;
}

type HideReason = Extract<CalendarPlan, { kind: "hide" }>["reason"];

const plans = new WeakMap<Buffer, CalendarPlan>();

const reasons: Record<HideReason, string> = {
  signed: "its sender has signed it, so the addresses in it can't be replaced by reply addresses",
  unreadable: "the addresses in it can't be replaced by reply addresses safely",
};

/**
 * Gives reply addresses to everybody in the message's calendars.
 * @param rewritten rewritten header and reply addresses of the message
 * @returns `null` when the body is forwarded unchanged
 */
export function forwardInvitations(source: ReceivedMessage, rewritten: ForwardedHeader): ForwardedInvitations | null {
  const { replies } = rewritten;
  if (replies === null) return null;
  const plan = planOf(source);
  if (plan.kind === "keep") return null;
  if (plan.kind === "hide") return hide(source, rewritten, plan.reason);
  const own = { aliasAddress: source.aliasAddress };
  const change = forwardCalendars({ addresses: plan.addresses, replies: replies.addresses, own });
  return { header: withoutMeasures(rewritten.header), makeBody: () => makeBody(source, plan, change) };
}

/** The calendars of a message are parsed once and cached for its other recipients. */
function planOf({ wire, header: block }: ReceivedMessage): CalendarPlan {
  const known = plans.get(wire);
  if (known !== undefined) return known;
  const header = wire.subarray(0, block.end);
  const plan = planCalendars(readMessageFields({ header, fields: block.fields }), () =>
    bodyOf({ wire, header: block }),
  );
  plans.set(wire, plan);
  return plan;
}

const bodyStartOf = ({ header }: Pick<ReceivedMessage, "header">) => (header.isSeparated ? header.end + 2 : header.end);

const bodyOf = (source: Pick<ReceivedMessage, "wire" | "header">) => unstuff(source.wire.subarray(bodyStartOf(source)));

function makeBody(source: ReceivedMessage, { edits }: Extract<CalendarPlan, { kind: "edit" }>, change: CalendarChange) {
  const received = source.wire.subarray(bodyStartOf(source));
  const body = unstuff(received);
  const { pieces, newBytes } = writeCalendars(edits, body, change);
  const hash = simpleBodyHashOf(pieces);
  if (body === received) return { wire: pieces.map(stuff), hash, newBytes };
  // With dot-stuffed lines the whole body is new: a single buffer.
  const wire = stuff(Buffer.concat(pieces));
  return { wire: [wire], hash, newBytes: wire.length };
}

function hide(source: ReceivedMessage, { header, trace }: ForwardedHeader, reason: HideReason): ForwardedInvitations {
  const { aliasAddress, envelope } = source;
  const received = source.wire.subarray(bodyStartOf(source));
  const traceBytes = fieldTextBytes(...trace).length;
  const wrapped = wrapMessage({
    header: header.subarray(traceBytes),
    body: received,
    notice: noticeOf(reason, aliasAddress),
    boundary: boundaryOf(source),
    fileName: "invitation.eml",
    eightBit: envelope.eightBit,
  });
  return {
    header: Buffer.concat([header.subarray(0, traceBytes), wrapped.header]),
    makeBody: () => ({
      wire: wrapped.body,
      hash: simpleBodyHashOf(wrapped.body.map(unstuff)),
      newBytes: wrapped.body.reduce((sum, piece) => sum + piece.length, 0) - received.length,
    }),
  };
}

function noticeOf(reason: HideReason, aliasAddress: string): string {
  return [
    "This message may hold an invitation. It is attached, not shown, because",
    `${reasons[reason]}.`,
    "",
    "If you accept or decline it from your calendar, your own address goes to its",
    `sender. To stay behind ${aliasAddress}, answer this message instead.`,
    "",
  ].join("\r\n");
}

/** Boundary that is the same for every attempt, and that the message's author can't predict. */
function boundaryOf({ replyKey, messageId }: ReceivedMessage): string {
  const mac = createHmac("sha256", replyKey ?? "")
    .update("wrapped message boundary\0")
    .update(messageId)
    .digest();
  return `=_${toBase32(mac).slice(0, 32)}`;
}
