/** Envelope sender (SRS) and header of a forwarded message: reply addresses for everybody the owner could reply to. */
import {
  domainOf,
  type FieldText,
  fieldTextBytes,
  formatReceived,
  formatResultsField,
  type HeaderBlock,
  type HeaderField,
  headerField,
  type Mailbox,
  MailSyntaxError,
  type MessageIdKeys,
  messageIdKeys,
  type ReplyAddresses,
  replyAddress,
  replyToken,
  rewriteForwardHeader,
  type SrsHash,
  srsForward,
} from "@kauke/mail-rfc";
import type { BounceSender } from "../../core/bounce-sender.ts";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { MessageEnvelope } from "../../core/message/message.ts";
import { type BounceAddressParts, bounceAddress, bounceToken, srsSubject } from "./bounce-address.ts";
import type { Correspondent } from "./reply-book.ts";

const CRLF = Buffer.from("\r\n");
const NON_ASCII = /[^\u{0}-\u{7f}]/u;

export interface RewriteRules {
  mailHost: string;
  domains: Pick<MailDomains, "has">;
  srsHash: SrsHash;
}

export interface Rewritten extends NewSender {
  header: Buffer;
  fields: readonly HeaderField[] | null;
  trace: readonly FieldText[];
  rest: Buffer;
  replies: ForwardReplies | null;
}

interface NewSender {
  envelopeFrom: string;
  bounceSender: BounceSender | null;
}

export interface ForwardReplies {
  addresses: ReplyAddresses;
  correspondents(): Correspondent[];
}

export interface RewriteSource {
  messageId: string;
  envelope: MessageEnvelope;
  wire: Buffer;
  header: HeaderBlock;
  aliasAddress: string;
  aliasId: string | null;
  replyKey: Buffer | null;
  /** The new envelope sender may contain the sender's address, so that late failures can be reported. */
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
  const trace = [
    headerField("Delivered-To", [aliasAddress]),
    ...(results === null ? [] : [formatResultsField(results)]),
    received,
  ];
  return {
    ...forwardSender(source, rules),
    trace,
    rest: restOf(source.wire, source.header),
    ...rewriteHeader(source, trace, rules),
  };
}

function rewriteHeader(
  source: RewriteSource,
  trace: readonly FieldText[],
  rules: RewriteRules,
): Pick<Rewritten, "header" | "fields" | "replies"> {
  const { wire, aliasAddress, replyKey, envelope } = source;
  const header = wire.subarray(0, source.header.end);
  if (replyKey === null) {
    return { header: Buffer.concat([fieldTextBytes(...trace), header]), fields: null, replies: null };
  }
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
    // Without authentication, a host in front of this server is assumed to authenticate senders.
    isVerified: envelope.authentication?.isAligned ?? true,
    replyAddressOf,
    trace,
    removeResultsOf: rules.mailHost,
    messageIds: messageIdsOf(replyKey, domain),
    added: { date: envelope.receivedAt, messageId: `<${source.messageId}@${domain}>` },
  });
  const withToken = (mailbox: Mailbox) => ({
    ...mailbox,
    token: tokens.get(mailbox.address) ?? replyToken(replyKey, mailbox.address),
  });
  const { replies: addresses } = rewritten;
  const correspondents = () => addresses.correspondents.map(withToken);
  return { header: rewritten.header, fields: rewritten.fields, replies: { addresses, correspondents } };
}

const knownKeys = new WeakMap<Buffer, MessageIdKeys>();

/** Message-ID keys, cached by key object, since deriving them costs more than the rest of the header. */
function messageIdsOf(replyKey: Buffer, domain: string): MessageIdKeys {
  const known = knownKeys.get(replyKey);
  if (known !== undefined) return known;
  const keys = messageIdKeys(replyKey, domain);
  knownKeys.set(replyKey, keys);
  return keys;
}

/** Adds a missing blank line, so that our fields end before the body. */
function restOf(wire: Buffer, header: HeaderBlock): Buffer {
  const rest = wire.subarray(header.end);
  return header.isSeparated || rest.length === 0 ? rest : Buffer.concat([CRLF, rest]);
}

const NO_ALIAS = "00000000-0000-0000-0000-000000000000";

/**
 * An SRS address, or the bounce address if the sender may not get bounces. An address of ours must not be passed on:
 * SPF would pass for any forger of it, and bounces and automatic replies would reveal the destination to its owner.
 */
function forwardSender(source: RewriteSource, rules: RewriteRules): NewSender {
  const { envelopeFrom: sender, receivedAt: now } = source.envelope;
  if (sender === "") return { envelopeFrom: "", bounceSender: null };
  const domain = domainOf(source.aliasAddress);
  const aliasId = source.aliasId ?? NO_ALIAS;
  if (!mayGetBounces(source) || rules.domains.has(domainOf(sender))) {
    return { envelopeFrom: bounceAddress({ aliasId, domain, now }, rules.srsHash), bounceSender: null };
  }
  const envelopeFrom = srsSender(sender, { aliasId, domain, now }, rules);
  if (envelopeFrom !== null) return { envelopeFrom, bounceSender: null };
  const token = bounceToken(aliasId, sender, rules.srsHash);
  return {
    envelopeFrom: bounceAddress({ aliasId, domain, now, token }, rules.srsHash),
    bounceSender: { aliasId, token, sender },
  };
}

/** @returns `null` if no SRS address can contain the sender's address */
function srsSender(
  sender: string,
  { aliasId, domain, now }: BounceAddressParts,
  { domains, srsHash }: RewriteRules,
): string | null {
  // A host without SMTPUTF8 (RFC 6531) could not accept a non-ASCII address.
  if (NON_ASCII.test(sender)) return null;
  const srs = { domain, isOurDomain: (name: string) => domains.has(name), hashes: [srsHash] as const, now };
  try {
    return srsForward(sender, srs, srsSubject(aliasId));
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}

/** Only a sender proven by SPF gets bounces, and for a single destination: another may have accepted the message. */
function mayGetBounces({ mayNameSender, envelope }: RewriteSource): boolean {
  return mayNameSender && ["pass", undefined].includes(envelope.authentication?.spf);
}
