/** An owner's message as one from an alias: header from an allow-list, people for reply addresses, leak guard. */
import { isAscii } from "node:buffer";
import type { AccountSettings } from "@kauke/contract";
import {
  addressesOf,
  asciiAddress,
  asciiDomainOf,
  CORRESPONDENTS_MAX,
  domainOf,
  type HeaderBlock,
  type HeaderSource,
  type Mailbox,
  type MailboxOwner,
  makeMessageId,
  messageIdKeys,
  readAutoSubmitted,
  readSendTag,
  rewriteParts,
  rewriteReplyHeader,
  splitAddress,
  splitAliasAddress,
  stuff,
  toBase32,
  unstuff,
} from "@kauke/mail-rfc";
import { type AliasRoute, type AliasStore, mailboxesAmong } from "../../core/alias/alias.ts";
import { sameMailbox } from "../../core/destination/same-mailbox.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { LeakGuard } from "../../core/leak-guard.ts";
import type { MailTrace } from "../../core/preview/preview-inbox.ts";
import type { MarksToStore, ReplyPathStore } from "../../core/reply-path.ts";
import { reply, replyForThrow, type SmtpReply, sendingRefusals } from "../reply.ts";
import { leakReply, nameOfPlace } from "./leak-reply.ts";
import type { Invitations, ReplaceInQuotes } from "./optional-features.ts";
import {
  distinctAddresses,
  type PreparedMessage,
  type SendingLimits,
  type SpoolDeps,
  spoolMessage,
  writeWithinLimit,
} from "./prepared-message.ts";
import { isReplyAddress, type ReplyFormDeps, resolveRepliesOf } from "./reply-book.ts";

export interface WriteAsDeps {
  aliases: Pick<AliasStore, "findDisplayName">;
  replyForms: ReplyFormDeps & { replyPaths: Pick<ReplyPathStore, "findAll"> };
  spool: SpoolDeps;
  features: { leakGuard: LeakGuard; invitations: Pick<Invitations, "send">; replaceInQuotes: ReplaceInQuotes };
  domains: Pick<MailDomains, "whyNotSending">;
  users: { settings(userId: string): Promise<Pick<AccountSettings, "leakGuard" | "aliasInQuotes"> | null> };
  sendingLimits: SendingLimits;
  trace: Pick<MailTrace, "add"> | null;
}

export interface WrittenByOwner {
  messageId: string | null;
  envelopeFrom: string;
  wire: Buffer;
  header: HeaderBlock;
  receivedAt: Date;
  eightBit: boolean;
  smtpUtf8: boolean;
}

export interface Outgoing {
  people: readonly Mailbox[];
  known: ReadonlyMap<string, Mailbox>;
  /** To and Cc may contain people's real addresses. */
  mayNameOutsiders: boolean;
  marks?: MarksToStore;
  /** The recipients were counted already, as for a message composed in the app. */
  isCounted: boolean;
}

const outsidersNamed = reply(
  550,
  "5.7.1",
  "Your message also names people by their real addresses. Write to reply addresses only, or they would see each other",
);
const foreignReplyAddress = reply(
  550,
  "5.7.1",
  "Your message also names a reply address that is not valid for this alias: each belongs to one alias and one person",
);
const recipientsUnreadable = reply(
  550,
  "5.6.0",
  "To or Cc contains text that is not an address, e.g. a recipient in quotes, or too many addresses. " +
    "Write each recipient as name@host or as Name <name@host>",
);
const CRLF = Buffer.from("\r\n");

/** @returns `null` when the message was queued, else the refusal or deferral */
export async function sendAsAlias(
  route: AliasRoute,
  written: WrittenByOwner,
  outgoing: Outgoing,
  deps: WriteAsDeps,
): Promise<SmtpReply | null> {
  const prepared = await prepareAsAlias(route, written, outgoing, deps);
  return "refusal" in prepared ? prepared.refusal : await prepared.enqueue();
}

/** Counts the recipients, then writes, checks and stores the message without queueing it. */
export async function prepareAsAlias(
  route: AliasRoute,
  written: WrittenByOwner,
  outgoing: Outgoing,
  deps: WriteAsDeps,
): Promise<PreparedMessage | { refusal: SmtpReply }> {
  const refusal = deps.domains.whyNotSending(route.userId, domainOf(route.address));
  if (refusal !== null) return { refusal: sendingRefusals[refusal] };
  const { wire, header } = written;
  const source = { header: wire.subarray(0, header.end), fields: header.fields };
  const write = () => writeAsAlias(route, { ...written, source }, outgoing, deps);
  if (!outgoing.isCounted) return write();
  const limit = isAutomaticReply(written, source) ? "automatic_answer" : "submission";
  const counted = { limit, userId: route.userId, weight: distinctAddresses(outgoing.people).length } as const;
  return writeWithinLimit(deps.sendingLimits, counted, write);
}

async function writeAsAlias(
  route: AliasRoute,
  { source, ...written }: WrittenByOwner & { source: HeaderSource },
  outgoing: Outgoing,
  deps: WriteAsDeps,
): Promise<PreparedMessage | { refusal: SmtpReply }> {
  const { wire, header: block } = written;
  const correspondents = await peopleNamed(source, route, outgoing, deps);
  const domain = domainOf(route.address);
  const rewritten = rewriteReplyHeader({
    ...source,
    aliasAddress: route.address,
    // Never the name in the owner's program, which is often that of a person.
    aliasName: await deps.aliases.findDisplayName(route.aliasId),
    correspondentOf: (address) => correspondents.get(address.toLowerCase()) ?? null,
    messageIds: messageIdKeys(route.replyKey, domain),
    ownDomains: mailboxesAmong(route.destinations).map(asciiDomainOf),
    newMessageId: makeMessageId(deps.spool.random.bytes(16), domain),
    receivedAt: written.receivedAt,
  });
  const [stranger] = rewritten.strangers;
  if (stranger !== undefined)
    return { refusal: (await isReplyAddress(stranger, deps.replyForms)) ? foreignReplyAddress : outsidersNamed };
  if (rewritten.hasUnreadable) return { refusal: recipientsUnreadable };
  const parts = rewriteParts({
    header: rewritten.header,
    body: unstuff(wire.subarray(block.isSeparated ? block.end + 2 : block.end)),
    token: toBase32(deps.spool.random.bytes(16)),
    domain,
  });
  const { header, body } = await deps.features.invitations.send(parts, {
    ...ownerOf(route),
    findCorrespondents: (addresses) => correspondentsOf(addresses.slice(0, CORRESPONDENTS_MAX), route, outgoing, deps),
  });
  const quoting = await quoteAndGuard(route, { header, body, messageId: written.messageId }, deps);
  if ("refusal" in quoting) return quoting;
  const final = Buffer.concat([header, CRLF, stuff(quoting.body)]);
  const envelopeFrom = isAutomaticReply(written, source) ? "" : route.address;
  const { people, marks } = outgoing;
  // Few hosts take SMTPUTF8: what is in ASCII by now does not ask for it.
  const smtpUtf8 = written.smtpUtf8 && !isAscii(final);
  return await spoolMessage(route, { ...written, people, marks, wire: final, envelopeFrom, smtpUtf8 }, deps.spool);
}

/** An absence note or receipt, which must cause no report (RFC 3834 §3.3, RFC 8098 §3). */
function isAutomaticReply({ envelopeFrom }: { envelopeFrom: string }, source: HeaderSource): boolean {
  return envelopeFrom === "" || readAutoSubmitted(source) === "auto-replied";
}

/** Defers a message that can't be searched in time, and never passes it. */
async function quoteAndGuard(
  route: AliasRoute,
  message: { header: Buffer; body: Buffer; messageId: string | null },
  deps: WriteAsDeps,
): Promise<{ body: Buffer } | { refusal: SmtpReply }> {
  const owner = ownerOf(route);
  const { mailboxes } = owner;
  if (mailboxes.length === 0) return message;
  // The account may have been deleted meanwhile.
  const settings = (await deps.users.settings(route.userId)) ?? { leakGuard: true, aliasInQuotes: false };
  const { body, places } = settings.aliasInQuotes
    ? deps.features.replaceInQuotes(message, owner)
    : { ...message, places: [] };
  if (message.messageId !== null && places.length > 0) {
    const detail = `alias in quoted lines: ${places.map(nameOfPlace).join("; ")}`;
    deps.trace?.add(message.messageId, { stage: "rewrite", verdict: "accept", detail });
  }
  if (!settings.leakGuard) return { body };
  try {
    const content = { kind: "message" as const, chunks: [message.header, CRLF, body] };
    const leak = await deps.features.leakGuard.search({ userId: route.userId, mailboxes, content });
    return leak === null ? { body } : { refusal: leakReply(leak, settings) };
  } catch (thrown) {
    return { refusal: replyForThrow(thrown) };
  }
}

function ownerOf(route: AliasRoute): MailboxOwner {
  const mailboxes = mailboxesAmong(route.destinations);
  const own = new Set(mailboxes.map(sameMailbox));
  return { aliasAddress: route.address, mailboxes, isOwnMailbox: (address) => own.has(sameMailbox(address)) };
}

async function peopleNamed(
  source: Parameters<typeof addressesOf>[0],
  route: AliasRoute,
  outgoing: Outgoing,
  deps: WriteAsDeps,
): Promise<Map<string, Mailbox>> {
  const named = ["to", "cc"].flatMap((name) => addressesOf(source, name).mailboxes);
  const addresses = named.map(({ address }) => address);
  const people = await correspondentsOf(addresses, route, outgoing, deps);
  if (!outgoing.mayNameOutsiders) return people;
  for (const mailbox of named) {
    const key = mailbox.address.toLowerCase();
    if (asciiAddress(key) === route.address || people.has(key)) continue;
    // One unresolved reply address is enough to refuse the message.
    if (await isReplyAddress(mailbox.address, deps.replyForms)) break;
    people.set(key, mailbox);
  }
  return people;
}

/** Correspondents behind reply and send addresses of this alias, and those already known. */
async function correspondentsOf(
  addresses: readonly string[],
  route: AliasRoute,
  { known }: Outgoing,
  deps: WriteAsDeps,
): Promise<Map<string, Mailbox>> {
  const others = addresses.filter((address) => !known.has(address.toLowerCase()));
  return new Map([
    ...known,
    ...peopleInTags(others, route),
    ...(await resolveRepliesOf(route, others, deps.replyForms)),
  ]);
}

/** Correspondents in the tags of send addresses. The header may name people who get a separate copy from the host. */
function peopleInTags(addresses: readonly string[], { address: alias }: AliasRoute) {
  const people = new Map<string, Mailbox>();
  for (const address of addresses) {
    const { local, domain } = splitAddress(address);
    const { name, tag } = splitAliasAddress(local);
    const person = tag === null ? null : readSendTag(tag);
    if (person === null || `${name}@${domain}`.toLowerCase() !== alias) continue;
    people.set(address.toLowerCase(), { name: null, address: person });
  }
  return people;
}
