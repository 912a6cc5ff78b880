/**
 * Rewrites invitations in forwarded mail: a program that accepts one writes to its organizer from the real mailbox, so
 * organizer and attendees become reply addresses. A calendar that can't be changed is attached as a message, which no
 * program processes. First attempt and retries make the same body.
 */

import { createHmac } from "node:crypto";
import {
  type FieldText,
  fieldTextBytes,
  type HeaderBlock,
  isOwn,
  type OwnAliases,
  type ReplyAddresses,
  simpleBodyHashOf,
  stuff,
  toBase32,
  unstuff,
} from "@kauke/mail-rfc";
import { readMessageFields } from "./calendar-fields.ts";
import type { CalendarChange } from "./change-line.ts";
import { type CalendarPlan, planCalendars, withoutMeasures, writeCalendars } from "./rewrite-calendars.ts";
import { wrapMessage } from "./wrap-message.ts";

interface ReceivedMessage {
  messageId: string;
  envelope: { eightBit: boolean };
  wire: Buffer;
  header: HeaderBlock;
  aliasAddress: string;
  replyKey: Buffer | null;
}

interface ForwardedHeader {
  header: Buffer;
  trace: readonly FieldText[];
  replies: { addresses: ReplyAddresses } | null;
}

interface NewBody {
  /** Chunks of the new body, dot-stuffed, without the blank line in front; most are views of the received message. */
  wire: readonly Buffer[];
  hash: Buffer;
  /** Bytes in memory besides the received message. */
  newBytes: number;
}

interface ForwardedInvitations {
  header: Buffer;
  makeBody(): NewBody;
}

type HideReason = Extract<CalendarPlan, { kind: "hide" }>["reason"];

const plans = new WeakMap<Buffer, CalendarPlan>();

const reasons: Record<HideReason, string> = {
  signed: "its sender has signed it, so the addresses in it can't be replaced by reply addresses",
  unreadable: "the addresses in it can't be replaced by reply addresses safely",
};

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

/** Calendars are parsed once and cached for the message's other recipients. */
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
  // A body with dot-stuffed lines is written anew as a whole.
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

/** Boundary of multiparts: the same for every attempt, and unpredictable for the message's author. */
function boundaryOf({ replyKey, messageId }: ReceivedMessage): string {
  const mac = createHmac("sha256", replyKey ?? "")
    .update("wrapped message boundary\0")
    .update(messageId)
    .digest();
  return `=_${toBase32(mac).slice(0, 32)}`;
}

interface ForwardCalendars {
  addresses: readonly string[];
  /** Reply addresses of the copy: header and calendars share one maximum. */
  replies: ReplyAddresses;
  /** The owner's aliases, which stay unchanged, so that programs find the owner among the attendees. */
  own: OwnAliases;
}

const AT_SIGNS = /[@\u{ff20}\u{fe6b}]/gu;

/** Replaces people in calendars by reply addresses; those beyond the maximum are removed. */
function forwardCalendars({ addresses, replies, own }: ForwardCalendars): CalendarChange {
  for (const address of addresses) {
    if (replies.isFull) break;
    if (!isOwn(address, own)) replies.addressFor({ name: null, address });
  }
  return {
    addressFor: (address) => (isOwn(address, own) ? address : replies.knownFor(address)),
    nameFor: (name) => name.replace(AT_SIGNS, " at "),
    unreadable: "remove",
  };
}
