/**
 * The header of mail an owner sends to a reply address, as the correspondent shall see it: from the alias, with nothing of the
 * mailbox, program, host, network or time zone it came from. Only the fields named here pass; all others are left behind. Headers
 * of parts are `rewrite-parts.ts`'; what the body says is read by `leak-scan.ts`.
 */

import { addressesOf, addressKey, fieldBytes, type HeaderSource } from "../address/address-header.ts";
import type { Mailbox } from "../address/address-list.ts";
import { formatAddressField, UNDISCLOSED_RECIPIENTS } from "../address/format-address.ts";
import { formatDate, readDate } from "../header/date.ts";
import { canStandInField, type FieldText, fieldTextBytes, headerField, NO_FIELD } from "../header/header-field.ts";
import { findField, firstValue } from "../header/headers.ts";
import { findMessageIds } from "../header/message-id.ts";
import { type MessageIdKeys, sealMessageId, type ThreadIds, threadForCorrespondent } from "../header/message-id-map.ts";

export interface ReplyHeaderSource extends HeaderSource {
  aliasAddress: string;
  /** The name the owner chose for this alias; never the one in the message. */
  aliasName: string | null;
  /** Who a reply address stands for; `null` for an address that is none. Canonical addresses come in. */
  correspondentOf: (address: string) => Mailbox | null;
  /** Another alias of the owner, which the correspondent has seen before. */
  isOwnAlias?: (address: string) => boolean;
  messageIds: MessageIdKeys;
  /** For a message without one: with brackets, at the alias' domain. */
  newMessageId: string;
  /** When it came in: for a message without a readable Date. */
  receivedAt: Date;
}

export interface ReplyHeader {
  /** Wire form, without the blank line. */
  header: Buffer;
  /** Canonical addresses in To and Cc which are no reply addresses. Not empty: the message must not go out. */
  strangers: string[];
  /** Whether To or Cc held something that is no address; it is not in `header`. */
  hasUnread: boolean;
}

/** Their bytes pass; each once. Content-ID, -Language and -Location name hosts and habits. */
const passing = [
  "subject",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "content-disposition",
  "content-description",
];

/** UTF-16 units that are read. */
const AUTO_SUBMITTED_MAX = 1000;
const COMMENTS = /\([^()]*\)/g;

/** Writes the whole new header block. Never throws for what the owner's program wrote. */
export function rewriteReplyHeader(source: ReplyHeaderSource): ReplyHeader {
  const to = outwardMailboxes(source, "to");
  const cc = outwardMailboxes(source, "cc");
  const written = fieldTextBytes(
    formatAddressField("From", [{ name: source.aliasName, address: source.aliasAddress }]),
    to.mailboxes.length === 0 ? UNDISCLOSED_RECIPIENTS : formatAddressField("To", to.mailboxes),
    formatAddressField("Cc", cc.mailboxes),
    headerField("Date", [formatDate(sentAt(source))]),
    ...writeThread(source),
    writeAutoSubmitted(source),
  );
  return {
    header: Buffer.concat([written, ...passing.map((name) => passField(source, name))]),
    strangers: [...new Set([...to.strangers, ...cc.strangers])],
    hasUnread: to.hasUnread || cc.hasUnread,
  };
}

interface Outward {
  mailboxes: Mailbox[];
  strangers: string[];
  hasUnread: boolean;
}

/** The alias itself, which "reply to all" addresses too, is left out: it would come back to the owner. */
function outwardMailboxes(source: ReplyHeaderSource, name: string): Outward {
  const { mailboxes, unreadCount, isCut } = addressesOf(source, name);
  const outward: Outward = { mailboxes: [], strangers: [], hasUnread: unreadCount > 0 || isCut };
  for (const { address } of mailboxes) {
    const correspondent = source.correspondentOf(address);
    if (correspondent !== null) outward.mailboxes.push(correspondent);
    else if (addressKey(address) === addressKey(source.aliasAddress)) continue;
    else if (source.isOwnAlias?.(address)) outward.mailboxes.push({ name: null, address });
    else outward.strangers.push(address);
  }
  return outward;
}

function sentAt({ header, fields, receivedAt }: ReplyHeaderSource): Date {
  return readDate(firstValue(header, fields, "date") ?? "") ?? receivedAt;
}

function writeThread(source: ReplyHeaderSource): FieldText[] {
  const ids = (name: string, max: number): string[] =>
    findMessageIds(firstValue(source.header, source.fields, name) ?? "", max);
  const field = (name: string, found: readonly string[]): FieldText => {
    const words = found.filter(canStandInField);
    return words.length === 0 ? NO_FIELD : headerField(name, words);
  };
  const [messageId] = ids("message-id", 1);
  const thread: ThreadIds = { inReplyTo: ids("in-reply-to", 10), references: ids("references", 1000) };
  const { inReplyTo, references } = threadForCorrespondent(thread, source.messageIds);
  return [
    headerField("Message-ID", [ownMessageId(messageId, source)]),
    field("In-Reply-To", inReplyTo),
    field("References", references),
  ];
}

/** An identifier at the alias' domain passes as it is, so it may be what no field holds. */
function ownMessageId(messageId: string | undefined, { messageIds, newMessageId }: ReplyHeaderSource): string {
  const sealed = messageId === undefined ? newMessageId : sealMessageId(messageId, messageIds);
  return canStandInField(sealed) ? sealed : newMessageId;
}

/** Keeps two answering machines from talking for ever (RFC 3834 §5); its parameters can hold the owner's address (RFC 5436). */
function writeAutoSubmitted(source: ReplyHeaderSource): FieldText {
  const keyword = readAutoSubmitted(source);
  return keyword === null ? NO_FIELD : headerField("Auto-Submitted", [keyword]);
}

/** The keyword of Auto-Submitted (RFC 3834 §5, RFC 5436 §2.7.1), lower case; `null` for mail that a person sent. */
export function readAutoSubmitted({ header, fields }: HeaderSource): string | null {
  const value = (firstValue(header, fields, "auto-submitted") ?? "").slice(0, AUTO_SUBMITTED_MAX);
  const [keyword] = /^(?:auto-replied|auto-generated|auto-notified)\b/i.exec(value.replace(COMMENTS, "").trim()) ?? [];
  return keyword?.toLowerCase() ?? null;
}

function passField({ header, fields }: ReplyHeaderSource, name: string): Buffer {
  const field = findField(fields, name);
  if (field === null) return Buffer.alloc(0);
  // Mail programs name themselves in its comment.
  return name === "mime-version" ? fieldTextBytes(headerField("MIME-Version", ["1.0"])) : fieldBytes(header, field);
}
