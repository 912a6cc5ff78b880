/**
 * Writes the header of mail an owner sends to a reply address, as the correspondent will see it: from the alias,
 * revealing nothing of the mailbox, program, host, network or time zone. All fields that this module does not name are
 * dropped. Headers of parts are rewritten by `rewrite-parts.ts`; the body is searched by the leak guard.
 */

import { addressesOf, addressKey, fieldBytes, type HeaderSource } from "../address/address-header.ts";
import type { Mailbox } from "../address/address-list.ts";
import { formatAddressField, UNDISCLOSED_RECIPIENTS } from "../address/format-address.ts";
import { asciiDomainOf } from "../address/split-address.ts";
import { formatDate, readDate } from "../header/date.ts";
import { canStandInField, type FieldText, fieldTextBytes, headerField, NO_FIELD } from "../header/header-field.ts";
import { findField, firstValue } from "../header/headers.ts";
import { findMessageIds } from "../header/message-id.ts";
import { type MessageIdKeys, sealMessageId, type ThreadIds, threadForCorrespondent } from "../header/message-id-map.ts";

export interface ReplyHeaderSource extends HeaderSource {
  aliasAddress: string;
  /** Display name the owner chose for this alias; the name in the message is never used. */
  aliasName: string | null;
  /**
   * Maps a canonical address to the correspondent its reply address stands for; `null` when it is not a reply address.
   */
  correspondentOf: (address: string) => Mailbox | null;
  /** Whether an address is another alias of the owner, which the correspondent has seen before. */
  isOwnAlias?: (address: string) => boolean;
  messageIds: MessageIdKeys;
  /** Domains of the mailboxes that the alias forwards to, as A-labels in lower case. */
  ownDomains: readonly string[];
  /** Message-ID for a message without one: with brackets, at the alias' domain. */
  newMessageId: string;
  /** Time of receipt, used for a message without a readable Date. */
  receivedAt: Date;
}

export interface ReplyHeader {
  /** New header block in wire form, without the blank line. */
  header: Buffer;
  /** Canonical addresses in To and Cc that are not reply addresses. If there are any, the message must not be sent. */
  strangers: string[];
  /** Whether To or Cc contained text that is not an address; that text is left out of `header`. */
  hasUnreadable: boolean;
}

/**
 * Fields copied byte for byte, each once. Content-ID, -Language and -Location are not among them: they name hosts and
 * habits.
 */
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

/** Writes the whole new header block. Never throws on input from the owner's program. */
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

/**
 * Replaces reply addresses by the correspondents. Drops the alias itself, which "reply to all" includes: the message
 * would return to the owner.
 */
function outwardMailboxes(source: ReplyHeaderSource, name: string): Outward {
  const { mailboxes, unreadCount, isCut } = addressesOf(source, name);
  const outward: Outward = { mailboxes: [], strangers: [], hasUnreadable: unreadCount > 0 || isCut };
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

/**
 * Seals the message's own identifier. One at the alias' domain stays as it is; if it contains characters that are not
 * allowed in a field, it is replaced by a new one.
 */
function ownMessageId(messageId: string | null, { messageIds, newMessageId }: ReplyHeaderSource): string {
  const sealed = messageId === null ? newMessageId : sealMessageId(messageId, messageIds);
  return canStandInField(sealed) ? sealed : newMessageId;
}

/**
 * Keeps two automatic responders from answering each other forever (RFC 3834 §5). Parameters are dropped, since they
 * can contain the owner's address (RFC 5436).
 */
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
  // MIME-Version is written anew because mail programs put their name into a comment of this field.
  return name === "mime-version" ? fieldTextBytes(headerField("MIME-Version", ["1.0"])) : fieldBytes(header, field);
}
