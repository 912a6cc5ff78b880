/**
 * Writes the header of mail to a reply address as the correspondent will see it: from the alias, nothing of mailbox,
 * program, host or time zone. Fields that are not named here are dropped.
 */

import { asciiAddress, asciiDomainOf } from "../address/address.ts";
import { addressesOf, fieldBytes, type HeaderSource } from "../address/address-header.ts";
import type { Mailbox } from "../address/address-list.ts";
import { formatAddressField, UNDISCLOSED_RECIPIENTS } from "../address/format-address.ts";
import { canStandInField, type FieldText, fieldTextBytes, headerField, NO_FIELD } from "../header/header-field.ts";
import { findField, firstValue } from "../header/headers.ts";
import { findMessageIds } from "../header/message-id.ts";
import { type MessageIdKeys, sealMessageId, type ThreadIds, threadForCorrespondent } from "../header/message-id-map.ts";
import { formatDate, readDate } from "../header/trace-fields.ts";

export interface ReplyHeaderSource extends HeaderSource {
  aliasAddress: string;
  /** Display name for the alias; the name in the message is never used. */
  aliasName: string | null;
  correspondentOf: (address: string) => Mailbox | null;
  /** Whether an address is another alias of the owner, which the correspondent may see. */
  isOwnAlias?: (address: string) => boolean;
  messageIds: MessageIdKeys;
  ownDomains: readonly string[];
  newMessageId: string;
  receivedAt: Date;
}

export interface ReplyHeader {
  header: Buffer;
  /** Addresses in To and Cc that are not reply addresses; if there are any, the message must not be sent. */
  strangers: string[];
  hasUnreadable: boolean;
}

/** Fields that are copied once each. Not Content-ID, -Language and -Location: they name hosts and habits. */
const COPIED_FIELDS = [
  "subject",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "content-disposition",
  "content-description",
];

/** Maximum UTF-16 units read of Auto-Submitted. */
const AUTO_SUBMITTED_MAX = 1000;
const COMMENTS = /\([^()]*\)/g;

/** Rewrites the header of a reply. Never throws on a header that the owner's program wrote. */
export function rewriteReplyHeader(source: ReplyHeaderSource): ReplyHeader {
  const to = outwardMailboxes(source, "to");
  const cc = outwardMailboxes(source, "cc");
  const written = fieldTextBytes(
    formatAddressField("From", [{ name: source.aliasName, address: source.aliasAddress }]),
    to.mailboxes.length === 0 ? UNDISCLOSED_RECIPIENTS : formatAddressField("To", to.mailboxes),
    formatAddressField("Cc", cc.mailboxes),
    headerField("Date", [formatDate(sentAt(source))]),
    ...writeThread(source, [...to.mailboxes, ...cc.mailboxes]),
    writeAutoSubmitted(source),
  );
  return {
    header: Buffer.concat([written, ...COPIED_FIELDS.map((name) => passField(source, name))]),
    strangers: [...new Set([...to.strangers, ...cc.strangers])],
    hasUnreadable: to.hasUnreadable || cc.hasUnreadable,
  };
}

interface Outward {
  mailboxes: Mailbox[];
  strangers: string[];
  hasUnreadable: boolean;
}

/** Recipients without the alias itself, which "reply to all" includes: the message would return to the owner. */
function outwardMailboxes(source: ReplyHeaderSource, name: string): Outward {
  const { mailboxes, unreadCount, isCut } = addressesOf(source, name);
  const outward: Outward = { mailboxes: [], strangers: [], hasUnreadable: unreadCount > 0 || isCut };
  for (const { address } of mailboxes) {
    const correspondent = source.correspondentOf(address);
    if (correspondent !== null) outward.mailboxes.push(correspondent);
    else if (asciiAddress(address) === asciiAddress(source.aliasAddress)) continue;
    else if (source.isOwnAlias?.(address)) outward.mailboxes.push({ name: null, address });
    else outward.strangers.push(address);
  }
  return outward;
}

function sentAt({ header, fields, receivedAt }: ReplyHeaderSource): Date {
  return readDate(firstValue(header, fields, "date") ?? "") ?? receivedAt;
}

function writeThread(source: ReplyHeaderSource, people: readonly Mailbox[]): FieldText[] {
  const ids = (name: string, max: number): string[] =>
    findMessageIds(firstValue(source.header, source.fields, name) ?? "", max);
  const field = (name: string, found: readonly string[]): FieldText => {
    const words = found.filter(canStandInField);
    return words.length === 0 ? NO_FIELD : headerField(name, words);
  };
  const [messageId = null] = ids("message-id", 1);
  const thread: ThreadIds = { inReplyTo: ids("in-reply-to", 10), references: ids("references", 1000) };
  const correspondents = [...new Set(people.map(({ address }) => asciiDomainOf(address)))];
  const hosts = { messageId, own: source.ownDomains, correspondents };
  const { inReplyTo, references } = threadForCorrespondent(thread, source.messageIds, hosts);
  return [
    headerField("Message-ID", [ownMessageId(messageId, source)]),
    field("In-Reply-To", inReplyTo),
    field("References", references),
  ];
}

/** Identifier of the reply. One at the alias' domain stays, unless it has characters that a field must not contain. */
function ownMessageId(messageId: string | null, { messageIds, newMessageId }: ReplyHeaderSource): string {
  const sealed = messageId === null ? newMessageId : sealMessageId(messageId, messageIds);
  return canStandInField(sealed) ? sealed : newMessageId;
}

/**
 * Writes Auto-Submitted, which keeps two responders from writing to each other for ever (RFC 3834 §5), without its
 * parameters, which can contain the owner's address.
 */
function writeAutoSubmitted(source: ReplyHeaderSource): FieldText {
  const keyword = readAutoSubmitted(source);
  return keyword === null ? NO_FIELD : headerField("Auto-Submitted", [keyword]);
}

/** Value of Auto-Submitted in lower case; `null` for mail that a person sent (RFC 3834 §5, RFC 5436 §2.7.1). */
export function readAutoSubmitted({ header, fields }: HeaderSource): string | null {
  const value = (firstValue(header, fields, "auto-submitted") ?? "").slice(0, AUTO_SUBMITTED_MAX);
  const [keyword] = /^(?:auto-replied|auto-generated|auto-notified)\b/i.exec(value.replace(COMMENTS, "").trim()) ?? [];
  return keyword?.toLowerCase() ?? null;
}

function passField({ header, fields }: ReplyHeaderSource, name: string): Buffer {
  const field = findField(fields, name);
  if (field === null) return Buffer.alloc(0);
  // Programs put their name into a comment of MIME-Version.
  return name === "mime-version" ? fieldTextBytes(headerField("MIME-Version", ["1.0"])) : fieldBytes(header, field);
}
