/**
 * What changes on the way through: the envelope sender becomes ours (SRS), everybody the owner could answer gets a reply address,
 * trace, result and loop fields go on top. Body bytes stay as they came.
 */
import {
  formatReceived,
  type HeaderBlock,
  type Mailbox,
  MailSyntaxError,
  type MessageIdKeys,
  messageIdKeys,
  replyAddress,
  replyToken,
  rewriteForwardHeader,
  type SrsHash,
  srsForward,
} from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../../core/message/message.ts";
import { domainOf } from "../message-signer.ts";
import type { Correspondent } from "../reply-book.ts";
import { bounceAddress } from "./bounce-address.ts";

const CRLF = Buffer.from("\r\n");

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
  /** The blank line and all after it, wire form, as received. */
  rest: Buffer;
  correspondents: readonly Correspondent[];
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
}

export function rewrite(source: RewriteSource, rules: RewriteRules): Rewritten {
  const { envelope, aliasAddress } = source;
  const received = formatReceived({
    helo: envelope.helo,
    clientAddress: envelope.clientAddress,
    by: rules.mailHost,
    protocol: envelope.protocol,
    id: source.messageId,
    forAlias: aliasAddress,
    at: envelope.receivedAt,
  });
  const results = envelope.authentication?.results ?? null;
  const ours = [
    `Delivered-To: ${aliasAddress}\r\n`,
    results === null ? "" : `Authentication-Results: ${results}\r\n`,
    received,
  ];
  const { header, correspondents } = rewriteHeader(source, rules);
  return {
    envelopeFrom: forwardSender(source, rules),
    header: Buffer.concat([Buffer.from(ours.join(""), "utf8"), header]),
    rest: restOf(source.wire, source.header),
    correspondents,
  };
}

function rewriteHeader(source: RewriteSource, rules: RewriteRules) {
  const { wire, aliasAddress, replyKey, envelope } = source;
  const header = wire.subarray(0, source.header.end);
  if (replyKey === null) return { header, correspondents: [] };
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
  return { header: rewritten.header, correspondents: rewritten.correspondents.map(withToken) };
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

/**
 * SRS at the alias' domain; a sender too long for it gives way to the alias' own bounce address. So does one at a domain of
 * ours: passed on as it is, it would have SPF vouch for whoever wrote it there, and bounces and automatic answers would
 * carry the destination to the owner of that other address.
 */
function forwardSender(source: RewriteSource, rules: RewriteRules): string {
  const { envelopeFrom, receivedAt } = source.envelope;
  const domain = domainOf(source.aliasAddress);
  const ownBounces = () => (source.aliasId === null ? "" : bounceAddress(source.aliasId, domain, rules.srsHash));
  if (envelopeFrom === "") return "";
  // A report is sent only to who is proven to have written: bounces for others lead to the alias and no further.
  if (!["pass", undefined].includes(source.envelope.authentication?.spf)) return ownBounces();
  if (rules.domains.has(domainOf(envelopeFrom))) return ownBounces();
  try {
    return srsForward(envelopeFrom, {
      domain,
      isOurDomain: (name) => rules.domains.has(name),
      hashes: [rules.srsHash],
      now: receivedAt,
    });
  } catch (thrown) {
    if (!(thrown instanceof MailSyntaxError)) throw thrown;
    return ownBounces();
  }
}
