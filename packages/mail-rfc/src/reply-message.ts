/**
 * The header of mail an owner sends to a reply address, as the correspondent shall see it: from the alias, with nothing of the
 * mailbox, program, host, network or time zone it came from. Only the fields named here pass; all others are left behind. Headers
 * of parts are `rewrite-parts.ts`'; what the body says is read by `leak-scan.ts`.
 */

import { addressesOf, addressKey, fieldBytes, type HeaderSource } from "./address-header.ts";
import type { Mailbox } from "./address-list.ts";
import { formatDate, readDate } from "./date.ts";
import { foldField } from "./encoded-word.ts";
import { formatAddressField } from "./format-address.ts";
import { findField, firstValue } from "./headers.ts";
import { findMessageIds } from "./message-id.ts";
import { type MessageIdKeys, sealMessageId, type ThreadIds, threadForCorrespondent } from "./message-id-map.ts";

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

/** Writes the whole new header block. Never throws for what the owner's program wrote. */
export function rewriteReplyHeader(source: ReplyHeaderSource): ReplyHeader {
  const to = outwardMailboxes(source, "to");
  const cc = outwardMailboxes(source, "cc");
  const fields = [
    formatAddressField("From", [{ name: source.aliasName, address: source.aliasAddress }]),
    formatAddressField("To", to.mailboxes),
    formatAddressField("Cc", cc.mailboxes),
    `Date: ${formatDate(sentAt(source))}\r\n`,
    ...writeThread(source),
    writeAutoSubmitted(source),
    ...passing.map((name) => passField(source, name)),
  ];
  return {
    header: Buffer.concat(fields.map((field) => Buffer.from(field))),
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

function writeThread(source: ReplyHeaderSource): string[] {
  const ids = (name: string, max: number): string[] =>
    findMessageIds(firstValue(source.header, source.fields, name) ?? "", max);
  const [messageId] = ids("message-id", 1);
  const thread: ThreadIds = { inReplyTo: ids("in-reply-to", 10), references: ids("references", 1000) };
  const { inReplyTo, references } = threadForCorrespondent(thread, source.messageIds);
  return [
    foldField("Message-ID", [messageId ? sealMessageId(messageId, source.messageIds) : source.newMessageId]),
    inReplyTo.length === 0 ? "" : foldField("In-Reply-To", inReplyTo),
    references.length === 0 ? "" : foldField("References", references),
  ];
}

/** Keeps two answering machines from talking for ever (RFC 3834 §5); its parameters can hold the owner's address (RFC 5436). */
function writeAutoSubmitted({ header, fields }: ReplyHeaderSource): string {
  const keyword = /^\s*(auto-replied|auto-generated|auto-notified)\b/i.exec(
    firstValue(header, fields, "auto-submitted") ?? "",
  );
  return keyword ? `Auto-Submitted: ${keyword[1]?.toLowerCase()}\r\n` : "";
}

function passField({ header, fields }: ReplyHeaderSource, name: string): Buffer | string {
  const field = findField(fields, name);
  if (field === null) return "";
  // Mail programs name themselves in its comment.
  return name === "mime-version" ? "MIME-Version: 1.0\r\n" : fieldBytes(header, field);
}
