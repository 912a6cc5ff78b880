/**
 * What changes on the way through: the envelope sender becomes ours (SRS), everybody the owner could answer gets a reply address,
 * trace, result and loop fields go on top. The body is not looked at here: `invitations.ts` does where it holds a calendar.
 */
import {
  domainOf,
  fieldTextBytes,
  formatReceived,
  formatResultsField,
  type HeaderBlock,
  headerField,
  type Mailbox,
  MailSyntaxError,
  type MessageIdKeys,
  messageIdKeys,
  NO_FIELD,
  type ReplyAddresses,
  replyAddress,
  replyToken,
  rewriteForwardHeader,
  type SrsHash,
  srsForward,
} from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../../core/message/message.ts";
import { bounceAddress, srsSubject } from "./bounce-address.ts";
import type { Correspondent } from "./reply-book.ts";

const CRLF = Buffer.from("\r\n");
const NON_ASCII = /[^\u{0}-\u{7f}]/u;

export interface RewriteRules {
  /** Our name in trace fields. */
  mailHost: string;
  /** Lower case. */
  domains: ReadonlySet<string>;
  srsHash: SrsHash;
}

export interface Rewritten {
  envelopeFrom: string;
  /** The whole new header block, no blank line. */
  header: Buffer;
  /** Of it, the fields on top that are ours, bytes. */
  traceBytes: number;
  /** The blank line and all after it, wire form, as received. */
  rest: Buffer;
  correspondents: readonly Correspondent[];
  /** For what else of the message names people; `null`: nobody gets a reply address. */
  replies: ForwardReplies | null;
}

export interface ForwardReplies {
  addresses: ReplyAddresses;
  /** Everybody who has a reply address by now. */
  correspondents(): Correspondent[];
}

export interface RewriteSource {
  messageId: string;
  envelope: MessageEnvelope;
  wire: Buffer;
  header: HeaderBlock;
  /** Lower case. */
  aliasAddress: string;
  /** `null`: the operator's own mail, whose header stays. */
  aliasId: string | null;
  replyKey: Buffer | null;
  /**
   * The sender's address may stand in the new envelope sender, for reports of a late failure: no other destination of the alias
   * can have taken the message, and the copy is not one that hides its author.
   */
  mayNameSender: boolean;
}

export function rewrite(source: RewriteSource, rules: RewriteRules): Rewritten {
  const { envelope, aliasAddress } = source;
  const received = formatReceived({
    helo: envelope.helo,
    clientAddress: envelope.clientAddress,
    clientName: envelope.clientName ?? null,
    by: rules.mailHost,
    protocol: envelope.protocol,
    id: source.messageId,
    forAlias: aliasAddress,
    at: envelope.receivedAt,
  });
  const results = envelope.authentication?.results ?? null;
  const ours = fieldTextBytes(
    headerField("Delivered-To", [aliasAddress]),
    results === null ? NO_FIELD : formatResultsField(results),
    received,
  );
  const { header, replies } = rewriteHeader(source, rules);
  return {
    envelopeFrom: forwardSender(source, rules),
    header: Buffer.concat([ours, header]),
    traceBytes: ours.length,
    rest: restOf(source.wire, source.header),
    correspondents: replies?.correspondents() ?? [],
    replies,
  };
}

function rewriteHeader(source: RewriteSource, rules: RewriteRules): Pick<Rewritten, "header" | "replies"> {
  const { wire, aliasAddress, replyKey, envelope } = source;
  const header = wire.subarray(0, source.header.end);
  if (replyKey === null) return { header, replies: null };
  const domain = domainOf(aliasAddress);
  const tokens = new Map<string, string>();
  const replyAddressOf = (correspondent: string) => {
    const token = replyToken(replyKey, correspondent);
    tokens.set(correspondent, token);
    return replyAddress(token, domain);
  };
  const rewritten = rewriteForwardHeader({
    header,
    fields: source.header.fields,
    aliasAddress,
    envelopeFrom: envelope.envelopeFrom,
    // Where nothing is checked here, somebody in front of us has.
    isVerified: envelope.authentication?.isAligned ?? true,
    replyAddressOf,
    removeResultsOf: rules.mailHost,
    messageIds: messageIdsOf(replyKey, domain),
  });
  const withToken = (mailbox: Mailbox) => ({
    ...mailbox,
    token: tokens.get(mailbox.address) ?? replyToken(replyKey, mailbox.address),
  });
  const { replies: addresses } = rewritten;
  const correspondents = () => addresses.correspondents.map(withToken);
  return { header: rewritten.header, replies: { addresses, correspondents } };
}

const knownKeys = new WeakMap<Buffer, MessageIdKeys>();

/** Deriving costs more than all the rest of the header; a route in the cache keeps its key object. */
function messageIdsOf(replyKey: Buffer, domain: string): MessageIdKeys {
  const known = knownKeys.get(replyKey);
  if (known !== undefined) return known;
  const keys = messageIdKeys(replyKey, domain);
  knownKeys.set(replyKey, keys);
  return keys;
}

/** A message that starts with its body needs the blank line our fields would otherwise take from it. */
function restOf(wire: Buffer, header: HeaderBlock): Buffer {
  const rest = wire.subarray(header.end);
  return header.isSeparated || rest.length === 0 ? rest : Buffer.concat([CRLF, rest]);
}

/** Stands for "no alias" in the addresses that bounces of the operator's own mail come back to. */
const NO_ALIAS = "00000000-0000-0000-0000-000000000000";

/**
 * SRS bound to the alias, at its domain; a sender too long for it gives way to the alias' own bounce address. So does one at a
 * domain of ours: passed on as it is, it would have SPF vouch for whoever wrote it there, and bounces and automatic answers
 * would carry the destination to the owner of that other address.
 */
function forwardSender(source: RewriteSource, rules: RewriteRules): string {
  const { envelopeFrom, receivedAt } = source.envelope;
  const domain = domainOf(source.aliasAddress);
  const aliasId = source.aliasId ?? NO_ALIAS;
  const ownBounces = () => bounceAddress({ aliasId, domain, now: receivedAt }, rules.srsHash);
  if (envelopeFrom === "") return "";
  // A host without SMTPUTF8 (RFC 6531) could not take the mail if the sender's address stood in ours.
  if (NON_ASCII.test(envelopeFrom)) return ownBounces();
  if (!mayHearOfBounces(source) || rules.domains.has(domainOf(envelopeFrom))) return ownBounces();
  const isOurDomain = (name: string) => rules.domains.has(name);
  try {
    const srs = { domain, isOurDomain, hashes: [rules.srsHash] as const, now: receivedAt };
    return srsForward(envelopeFrom, srs, srsSubject(aliasId));
  } catch (thrown) {
    if (!(thrown instanceof MailSyntaxError)) throw thrown;
    return ownBounces();
  }
}

/**
 * A report is sent only to who is proven to have written, and about an only destination: a report about one of several would
 * say that a message was lost which another mailbox may have taken. All other bounces lead to the alias and no further.
 */
function mayHearOfBounces({ mayNameSender, envelope }: RewriteSource): boolean {
  return mayNameSender && ["pass", undefined].includes(envelope.authentication?.spf);
}
