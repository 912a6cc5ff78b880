/**
 * Rewrites the header of a forwarded message: every address the owner's program could write to becomes a reply address,
 * so that nothing is sent from the real mailbox. Other fields keep their bytes and order.
 */

import { splitAddress } from "../address/address.ts";
import { addressesOf, type HeaderSource, isOwn, type OwnAliases } from "../address/address-header.ts";
import { type Mailbox, parseAddressList } from "../address/address-list.ts";
import {
  formatAddressField,
  formatRecipients,
  shownName,
  UNDISCLOSED_RECIPIENTS,
  unknownAuthor,
} from "../address/format-address.ts";
import { ReplyAddresses } from "../address/reply-address.ts";
import { decodeEncodedWords } from "./encoded-word.ts";
import { isDroppedField, keepsWebLink, rewriteListField } from "./forward-fields.ts";
import {
  canStandInField,
  type FieldText,
  fieldNameOf,
  HeaderWriter,
  headerField,
  NO_FIELD,
  type WrittenHeader,
} from "./header-field.ts";
import { fieldValue, type HeaderField } from "./headers.ts";
import { findMessageIds } from "./message-id.ts";
import { type MessageIdKeys, threadForOwner } from "./message-id-map.ts";
import { formatDate, isResultOf } from "./trace-fields.ts";

export interface ForwardHeaderSource extends HeaderSource, OwnAliases {
  /** Author when there is no readable From; empty for the null sender. */
  envelopeFrom: string;
  /** Whether SPF or DKIM proved the author in From. */
  isVerified: boolean;
  replyAddressOf: (correspondent: string) => string;
  trace?: readonly FieldText[];
  /** Our name in Authentication-Results; received fields with it are forged, so they are removed. */
  removeResultsOf: string;
  /** Keys that open the owner's own identifiers; without them In-Reply-To and References stay. */
  messageIds?: MessageIdKeys;
  /** Fields to add to a message without Date or Message-ID (RFC 5322 §3.6). */
  added?: { date: Date; messageId: string };
}

export interface ForwardHeader extends WrittenHeader {
  correspondents: Mailbox[];
  replies: ReplyAddresses;
}

/** Maximum reply addresses: 1,000 recipients, some authors and lists. The field counts further recipients. */
export const CORRESPONDENTS_MAX = 1010;
/** Maximum further aliases of the owner that To and Cc may name; the rest is removed. */
const OWN_MAX = 50;
/**
 * Fields that may occur once (RFC 5322 §3.6, RFC 2045 §3, RFC 2369 §3, RFC 2919 §3, RFC 3834 §5, RFC 8058 §3.1). The
 * first is kept, which programs show; large hosts refuse a message that has two.
 */
const singleFields: ReadonlySet<string> = new Set(
  [
    "date subject message-id mime-version content-type content-transfer-encoding content-id content-description",
    "content-disposition content-language content-location content-md5 auto-submitted",
    "list-id list-help list-unsubscribe list-unsubscribe-post list-subscribe list-post list-owner list-archive",
  ].flatMap((names) => names.split(" ")),
);

/** List- fields (RFC 2369) with the spelling of their names. List-Unsubscribe-Post is kept or removed. */
const listFields = new Map([
  ["list-unsubscribe", "List-Unsubscribe"],
  ["list-post", "List-Post"],
  ["list-help", "List-Help"],
  ["list-subscribe", "List-Subscribe"],
  ["list-owner", "List-Owner"],
  ["list-archive", "List-Archive"],
]);

/** Rewrites the header. Never throws on a header that a sender wrote. */
export function rewriteForwardHeader(source: ForwardHeaderSource): ForwardHeader {
  const lists = readRecipients(source);
  const replies = new ReplyAddresses(source.replyAddressOf, CORRESPONDENTS_MAX);
  // A map and not an object, since a sender may name a field "constructor".
  const written = new Map([
    ...writeAddressFields(source, lists, replies),
    ...writeThread(source),
    ...writeAdded(source),
  ]);
  const seen = new Set<string>();
  const rest = new HeaderWriter(source.header);
  for (const field of source.fields) {
    const text = written.get(field.name);
    if (text !== undefined) {
      // A second field with the same name is removed.
      rest.write(field.name, text);
      written.set(field.name, NO_FIELD);
    } else if (!isRemoved(source, field) && !seen.has(field.name)) {
      if (singleFields.has(field.name)) seen.add(field.name);
      const list = writeListField(source, field, replies);
      if (list === null) rest.keep(field);
      else rest.write(field.name, list);
    }
  }
  const top = new HeaderWriter();
  for (const text of source.trace ?? []) top.write(fieldNameOf(text), text);
  for (const [name, text] of written) top.write(name, text);
  const block = top.followedBy(rest);
  return { ...block, correspondents: replies.correspondents, replies };
}

function isRemoved(source: ForwardHeaderSource, field: HeaderField): boolean {
  const { name } = field;
  if (name === "list-unsubscribe-post") return !hasHttpsUnsubscribe(source);
  return (
    isDroppedField(name) ||
    (field.name === "authentication-results" && isResultOf(fieldValue(source.header, field), source.removeResultsOf))
  );
}

/** Mailbox to show; `null` when there are no more reply addresses. Unverified names are shown with a warning. */
function mailboxFor(mailbox: Mailbox, isVerified: boolean, replies: ReplyAddresses): Mailbox | null {
  const address = replies.addressFor(mailbox);
  return address === null ? null : { name: shownName({ ...mailbox, isVerified }), address };
}

/** Writes address fields, From first, so that it always gets a reply address. An empty text removes a field. */
function writeAddressFields(source: ForwardHeaderSource, lists: Recipients, replies: ReplyAddresses): Written {
  const from = addressesOf(source, "from").mailboxes[0] ?? envelopeMailbox(source.envelopeFrom);
  const author = from && mailboxFor(from, source.isVerified, replies);
  const replyTo = replyTargets(source, from).flatMap(
    ({ mailbox, isVerified }) => mailboxFor(mailbox, isVerified, replies) ?? [],
  );
  const outward = (mailbox: Mailbox): Mailbox | [] => {
    if (!lists.own.has(mailbox)) return mailboxFor(mailbox, true, replies) ?? [];
    return lists.keptOwn.has(mailbox) ? mailbox : [];
  };
  const recipients = (name: "to" | "cc"): [shown: Mailbox[], missing: number] => {
    const shown = lists[name].flatMap(outward);
    const isMissing = (mailbox: Mailbox) => !lists.own.has(mailbox) && replies.knownFor(mailbox.address) === null;
    return [shown, lists[name].filter(isMissing).length + addressesOf(source, name).cutCount];
  };
  return [
    ["from", formatAddressField("From", [author ?? nobody(source)])],
    ["reply-to", formatAddressField("Reply-To", replyTo)],
    ["to", writeTo(recipients("to"), source)],
    ["cc", formatRecipients("Cc", ...recipients("cc"))],
  ];
}

/**
 * Authors that a reply must reach: From shows only the first of several, Reply-To names all (RFC 5322 §3.6.2). Only the
 * first one's domain was authenticated.
 */
function replyTargets(source: ForwardHeaderSource, shown: Mailbox | null): { mailbox: Mailbox; isVerified: boolean }[] {
  const named = addressesOf(source, "reply-to").mailboxes;
  const authors = addressesOf(source, "from").mailboxes;
  if (named.length > 0 || authors.length < 2)
    return named.map((mailbox) => ({ mailbox, isVerified: source.isVerified }));
  const domain = splitAddress(shown?.address ?? "").domain;
  return authors.map((mailbox) => ({
    mailbox,
    isVerified: source.isVerified && splitAddress(mailbox.address).domain === domain,
  }));
}

function nobody(source: ForwardHeaderSource): Mailbox {
  const [value = ""] = valuesOf(source, "from");
  return unknownAuthor(decodeEncodedWords(value), splitAddress(source.aliasAddress).domain);
}

/** Writes To, which stays even if no readable address is left. */
function writeTo([shown, missing]: [Mailbox[], number], { fields }: ForwardHeaderSource): FieldText {
  const hadOne = fields.some(({ name }) => name === "to" || name === "apparently-to");
  return hadOne && shown.length + missing === 0 ? UNDISCLOSED_RECIPIENTS : formatRecipients("To", shown, missing);
}

type Written = [name: string, text: FieldText][];

interface Recipients {
  to: Mailbox[];
  cc: Mailbox[];
  own: ReadonlySet<Mailbox>;
  keptOwn: ReadonlySet<Mailbox>;
}

function readRecipients(source: ForwardHeaderSource): Recipients {
  const named = (field: string) =>
    addressesOf(source, field).mailboxes.filter(({ address }) => canStandInField(address));
  const [to, cc] = [named("to"), named("cc")];
  const own = new Set([...to, ...cc].filter(({ address }) => isOwn(address, source)));
  return { to, cc, own, keptOwn: own.size <= OWN_MAX ? own : new Set([...own].slice(0, OWN_MAX)) };
}

function envelopeMailbox(envelopeFrom: string): Mailbox | null {
  return parseAddressList(envelopeFrom)[0] ?? null;
}

function writeThread(source: ForwardHeaderSource): Written {
  if (source.messageIds === undefined) return [];
  const ids = (name: string, max: number): string[] => {
    const values = valuesOf(source, name);
    return values.length === 0 ? [] : findMessageIds(values.join(" "), max);
  };
  const messageId = ids("message-id", 10);
  const thread = { inReplyTo: ids("in-reply-to", 10), references: ids("references", 1000) };
  const { inReplyTo, references } = threadForOwner(thread, messageId, source.messageIds);
  const field = (name: string, found: readonly string[]): FieldText => {
    const words = found.filter(canStandInField);
    return words.length === 0 ? NO_FIELD : headerField(name, words);
  };
  return [
    ["in-reply-to", field("In-Reply-To", inReplyTo)],
    ["references", field("References", references)],
  ];
}

function writeAdded({ fields, added }: ForwardHeaderSource): Written {
  if (added === undefined) return [];
  const [hasDate, hasId] = ["date", "message-id"].map((name) => fields.some((field) => field.name === name));
  return [
    ...(hasDate ? [] : ([["date", headerField("Date", [formatDate(added.date)])]] as Written)),
    ...(hasId ? [] : ([["message-id", headerField("Message-ID", [added.messageId])]] as Written)),
  ];
}

function writeListField(source: ForwardHeaderSource, field: HeaderField, replies: ReplyAddresses): FieldText | null {
  const title = listFields.get(field.name);
  if (title === undefined) return null;
  return rewriteListField(title, fieldValue(source.header, field), (mailbox) => replies.addressFor(mailbox));
}

/** Whether List-Unsubscribe has an https link; without one List-Unsubscribe-Post is removed (RFC 8058 §3.1). */
function hasHttpsUnsubscribe(source: ForwardHeaderSource): boolean {
  const [kept = ""] = valuesOf(source, "list-unsubscribe");
  return keepsWebLink(kept);
}

function valuesOf({ header, fields }: HeaderSource, name: string): string[] {
  const values: string[] = [];
  for (const field of fields) if (field.name === name) values.push(fieldValue(header, field));
  return values;
}
