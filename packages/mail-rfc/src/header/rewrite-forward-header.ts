/**
 * Rewrites the header of a forwarded message. Every address the owner's program could answer to becomes a reply
 * address, so that no answer, read receipt or unsubscription is sent from the real mailbox to a correspondent. The
 * caller derives the tokens and stores the rows. Fields that this module and forward-fields.ts do not name keep their
 * exact bytes and their order.
 */

import { splitAliasAddress } from "../address/address.ts";
import { addressesOf, addressKey, type HeaderSource } from "../address/address-header.ts";
import { type Mailbox, parseAddressList } from "../address/address-list.ts";
import { formatAddressField, formatRecipients, UNDISCLOSED_RECIPIENTS } from "../address/format-address.ts";
import { ReplyAddresses } from "../address/reply-addresses.ts";
import { shownName, unknownAuthor } from "../address/shown-name.ts";
import { splitAddress } from "../address/split-address.ts";
import { formatDate } from "./date.ts";
import { decodeEncodedWords } from "./encoded-word.ts";
import { isDroppedField } from "./forward-fields.ts";
import { canStandInField, type FieldText, headerField, NO_FIELD, nameOf } from "./header-field.ts";
import { HeaderWriter, type WrittenHeader } from "./header-writer.ts";
import { fieldValue, type HeaderField } from "./headers.ts";
import { keepsWebLink, rewriteListField } from "./list-links.ts";
import { findMessageIds } from "./message-id.ts";
import { type MessageIdKeys, threadForOwner } from "./message-id-map.ts";

export interface ForwardHeaderSource extends HeaderSource {
  /** Address of the alias in canonical form. */
  aliasAddress: string;
  /** Author used when there is no readable From; canonical, empty for the null sender. */
  envelopeFrom: string;
  /** Whether SPF or DKIM aligned with the header's From. */
  isVerified: boolean;
  /** Returns the reply address that stands for a correspondent. Called once per correspondent. */
  replyAddressOf: (correspondent: string) => string;
  /** Whether an address is another alias of the same owner, which stays unchanged. */
  isOwnAlias?: (address: string) => boolean;
  /** Fields of our own to put on top of the new block, one text for each. */
  trace?: readonly FieldText[];
  /** Our own name in Authentication-Results; received fields with it are forged and removed. */
  removeResultsOf: string;
  /**
   * Keys that open the owner's own identifiers in In-Reply-To and References; without them both fields stay unchanged.
   */
  messageIds?: MessageIdKeys;
  /** Fields for a message that has none of its own, as mail programs need them (RFC 5322 §3.6). */
  added?: { date: Date; messageId: string };
}

export interface ForwardHeader extends WrittenHeader {
  /** Everybody who was assigned a reply address, without duplicates. */
  correspondents: Mailbox[];
  /** Assigns further reply addresses, to people whom the message names outside its header (in calendars). */
  replies: ReplyAddresses;
}

/**
 * Maximum people in From, Reply-To, To, Cc, mailing-list fields and calendars together: 1,000 recipients, and some
 * authors and lists. Recipients beyond are counted in their field.
 */
export const CORRESPONDENTS_MAX = 1010;
/** Maximum addresses in To and Cc that are the owner's own aliases; further ones are removed. */
const OWN_MAX = 50;
/**
 * Fields that may occur once (RFC 5322 §3.6, RFC 2045 §3, RFC 2369 §3, RFC 2919 §3, RFC 3834 §5, RFC 8058 §3.1) and are
 * not written anew. Of several, the first is kept: it is the one that programs show, and that is read here; large hosts
 * refuse a message that has two.
 */
const singleFields: ReadonlySet<string> = new Set(
  [
    "date subject message-id mime-version content-type content-transfer-encoding content-id content-description",
    "content-disposition content-language content-location content-md5 auto-submitted",
    "list-id list-help list-unsubscribe list-unsubscribe-post list-subscribe list-post list-owner list-archive",
  ].flatMap((names) => names.split(" ")),
);

/**
 * Mailing-list fields whose addresses are rewritten (RFC 2369), with the spelling of their names. List-Unsubscribe-Post
 * (RFC 8058) is not among them: it is kept or removed.
 */
const listFields = new Map([
  ["list-unsubscribe", "List-Unsubscribe"],
  ["list-post", "List-Post"],
  ["list-help", "List-Help"],
  ["list-subscribe", "List-Subscribe"],
  ["list-owner", "List-Owner"],
  ["list-archive", "List-Archive"],
]);

/** Rewrites the header block; does not read the body. Never throws on input from the sender. */
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
      // A second field with that name is removed.
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
  for (const text of source.trace ?? []) top.write(nameOf(text), text);
  for (const [name, text] of written) top.write(name, text);
  const block = top.followedBy(rest);
  return { ...block, correspondents: replies.correspondents, replies };
}

function isRemoved(source: ForwardHeaderSource, field: HeaderField): boolean {
  const { name } = field;
  if (name === "list-unsubscribe-post") return !hasHttpsUnsubscribe(source);
  return isDroppedField(name) || isResultOf(source, field);
}

/**
 * Builds the mailbox that stands for a correspondent: the shown name and the reply address.
 * @param isVerified whether the name is shown without a warning
 * @returns `null` when the maximum number of reply addresses is reached
 */
function mailboxFor(mailbox: Mailbox, isVerified: boolean, replies: ReplyAddresses): Mailbox | null {
  const address = replies.addressFor(mailbox);
  return address === null ? null : { name: shownName({ ...mailbox, isVerified }), address };
}

/**
 * @returns the new From, Reply-To, To and Cc; a field with empty text is removed. From gets its reply address first, so
 * that the limit on addresses never removes it.
 */
function writeAddressFields(source: ForwardHeaderSource, lists: Recipients, replies: ReplyAddresses): Written {
  const from = addressesOf(source, "from").mailboxes[0] ?? envelopeMailbox(source.envelopeFrom);
  const author = from && mailboxFor(from, source.isVerified, replies);
  const replyTo = answeredBy(source, from).flatMap(
    ({ mailbox, isVerified }) => mailboxFor(mailbox, isVerified, replies) ?? [],
  );
  const outward = (mailbox: Mailbox): Mailbox | [] => {
    if (!lists.own.has(mailbox)) return mailboxFor(mailbox, true, replies) ?? [];
    return lists.keptOwn.has(mailbox) ? mailbox : [];
  };
  const recipients = (name: "to" | "cc"): [shown: Mailbox[], missing: number] => {
    const shown = lists[name].flatMap(outward);
    const isMissing = (it: Mailbox) => !lists.own.has(it) && replies.knownFor(it.address) === null;
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
 * Of several authors From shows the first; Reply-To then names all, so that an answer reaches each (RFC 5322 §3.6.2).
 * Only the first one's domain was authenticated, so authors of others are marked.
 */
function answeredBy(source: ForwardHeaderSource, shown: Mailbox | null): { mailbox: Mailbox; isVerified: boolean }[] {
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

/** A message that had To or Apparently-To gets a To field even if no readable address is left. */
function writeTo([shown, missing]: [Mailbox[], number], { fields }: ForwardHeaderSource): FieldText {
  const hadOne = fields.some(({ name }) => name === "to" || name === "apparently-to");
  return hadOne && shown.length + missing === 0 ? UNDISCLOSED_RECIPIENTS : formatRecipients("To", shown, missing);
}

/** Rewritten header fields: pairs of a field name in lower case and the whole new field. */
type Written = [name: string, text: FieldText][];

interface Recipients {
  to: Mailbox[];
  cc: Mailbox[];
  /** Recipients in To and Cc that are aliases of the owner. */
  own: ReadonlySet<Mailbox>;
  /** The first `OWN_MAX` of them. */
  keptOwn: ReadonlySet<Mailbox>;
}

function readRecipients(source: ForwardHeaderSource): Recipients {
  const named = (field: string) =>
    addressesOf(source, field).mailboxes.filter(({ address }) => canStandInField(address));
  const [to, cc] = [named("to"), named("cc")];
  const own = new Set([...to, ...cc].filter(({ address }) => isOwn(address, source)));
  return { to, cc, own, keptOwn: own.size <= OWN_MAX ? own : new Set([...own].slice(0, OWN_MAX)) };
}

/** Whether an address is the alias in any letter case with any tag, or another alias of the same owner. */
export function isOwn(
  address: string,
  { aliasAddress, isOwnAlias }: Pick<ForwardHeaderSource, "aliasAddress" | "isOwnAlias">,
): boolean {
  return withoutTag(address) === addressKey(aliasAddress) || (isOwnAlias?.(address) ?? false);
}

function withoutTag(address: string): string {
  const { local, domain } = splitAddress(address);
  return addressKey(`${splitAliasAddress(local).name}@${domain}`);
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

/** Whether an https link is kept: RFC 8058 §3.1 requires it, so without it List-Unsubscribe-Post is removed. */
function hasHttpsUnsubscribe(source: ForwardHeaderSource): boolean {
  const [kept = ""] = valuesOf(source, "list-unsubscribe");
  return keepsWebLink(kept);
}

/**
 * Whether Authentication-Results claim to be ours. Any word before the first semicolon counts, comments included, since
 * parsers differ in what they skip (RFC 8601 §2.2, §5).
 */
function isResultOf(source: ForwardHeaderSource, field: HeaderField): boolean {
  if (field.name !== "authentication-results") return false;
  const value = fieldValue(source.header, field).toLowerCase();
  const outside = value.replace(/\([^()]*\)/g, " ");
  const words = [value, outside].flatMap((text) => text.split(";", 1)[0]?.split(/[\s"()]+/) ?? []);
  return words.includes(source.removeResultsOf.toLowerCase());
}

function valuesOf({ header, fields }: HeaderSource, name: string): string[] {
  const values: string[] = [];
  for (const field of fields) if (field.name === name) values.push(fieldValue(header, field));
  return values;
}
