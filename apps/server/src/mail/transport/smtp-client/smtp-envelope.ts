/**
 * What a peer offers in its reply to EHLO, and the MAIL and RCPT commands that it understands (RFC 5321 §4.1.1, 1870,
 * 6152, 6531). 8-bit bytes are sent unchanged to a peer without 8BITMIME: re-encoding a foreign body would break its
 * signatures. Only an address that the peer can't represent is refused.
 */
import { domainToASCII } from "node:url";
import { splitAddress } from "@kauke/mail-rfc";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { refused } from "../../classify-reply.ts";
import type { PeerReply } from "../../smtp-reply.ts";
import type { OutgoingMail } from "../transport.ts";

export interface SmtpExtensions {
  pipelining: boolean;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  startTls: boolean;
  size: boolean;
  /** `null` when the peer gives no limit of size (or 0, which means the same). */
  maxSizeBytes: number | null;
  authMechanisms: ReadonlySet<string>;
}

export const noExtensions: SmtpExtensions = {
  pipelining: false,
  eightBitMime: false,
  smtpUtf8: false,
  startTls: false,
  size: false,
  maxSizeBytes: null,
  authMechanisms: new Set(),
};

export function readExtensions(ehlo: PeerReply): SmtpExtensions {
  const offered = new Map<string, string[]>();
  for (const line of ehlo.lines.slice(1)) {
    // Servers older than RFC 4954 write "AUTH=LOGIN".
    const [keyword = "", ...params] = line.toUpperCase().split(/[ =]+/);
    offered.set(keyword, params);
  }
  const size = Number(offered.get("SIZE")?.[0]);
  return {
    pipelining: offered.has("PIPELINING"),
    eightBitMime: offered.has("8BITMIME"),
    smtpUtf8: offered.has("SMTPUTF8"),
    startTls: offered.has("STARTTLS"),
    size: offered.has("SIZE"),
    maxSizeBytes: Number.isSafeInteger(size) && size > 0 ? size : null,
    authMechanisms: new Set(offered.get("AUTH")),
  };
}

export type EnvelopeCommands =
  | { kind: "commands"; mail: string; rcpt: string }
  | { kind: "impossible"; outcome: DeliveryOutcome };

// Matches no address that could end the path or the line early; a quoted local part may contain spaces and brackets.
const PATH = /^(?:"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"|[^\s"<>\p{Cc}]+)@[^\s"<>\p{Cc}]+$/u;
const NON_ASCII = /[^\u{0}-\u{7f}]/u;

export function envelopeCommands(mail: OutgoingMail, peer: SmtpExtensions): EnvelopeCommands {
  if (peer.maxSizeBytes !== null && mail.sizeBytes > peer.maxSizeBytes) return impossible("too_large", "5.3.4");
  if (!PATH.test(mail.rcptTo)) return impossible("mailbox_unknown", "5.1.3");
  if (mail.envelopeFrom !== "" && !PATH.test(mail.envelopeFrom)) return impossible("refused_by_policy", "5.1.7");
  const from = spell(mail.envelopeFrom, peer);
  const to = spell(mail.rcptTo, peer);
  if (from === null || to === null) return impossible("not_supported", "5.6.7");
  const isUtf8 = peer.smtpUtf8 && (mail.smtpUtf8 || NON_ASCII.test(from) || NON_ASCII.test(to));
  const params =
    (peer.size ? ` SIZE=${mail.sizeBytes}` : "") +
    (peer.eightBitMime && (mail.eightBit || isUtf8) ? " BODY=8BITMIME" : "") +
    (isUtf8 ? " SMTPUTF8" : "");
  return { kind: "commands", mail: `MAIL FROM:<${from}>${params}\r\n`, rcpt: `RCPT TO:<${to}>\r\n` };
}

function impossible(...[code, status]: Parameters<typeof refused>): EnvelopeCommands {
  return { kind: "impossible", outcome: refused(code, status) };
}

/** Spells an address, with its domain in A-labels if needed. @returns `null` when the peer can't parse it even so */
function spell(address: string, peer: SmtpExtensions): string | null {
  if (peer.smtpUtf8 || !NON_ASCII.test(address)) return address;
  const { local, domain } = splitAddress(address);
  const ascii = domainToASCII(domain);
  return NON_ASCII.test(local) || ascii === "" ? null : `${local}@${ascii}`;
}
