/**
 * Makes the MAIL and RCPT commands that a peer understands (RFC 5321 §4.1.1, 1870, 6152, 6531), or says why it can't
 * take this message. 8-bit bytes are sent unchanged to a peer without 8BITMIME (re-encoding a foreign body would break
 * its signatures, and receivers that corrupt them are long gone), and so are UTF-8 headers to ASCII addresses; only an
 * address that the peer can't represent is refused.
 */

import { domainToASCII } from "node:url";
import { splitAddress } from "@kauke/mail-rfc";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { refused } from "../../classify-reply.ts";
import type { OutgoingMail } from "../transport.ts";
import type { SmtpExtensions } from "./smtp-extensions.ts";

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

/** @returns the address as the peer can parse it, its domain in A-labels if needed; `null` when that is not enough */
function spell(address: string, peer: SmtpExtensions): string | null {
  if (peer.smtpUtf8 || !NON_ASCII.test(address)) return address;
  const { local, domain } = splitAddress(address);
  const ascii = domainToASCII(domain);
  return NON_ASCII.test(local) || ascii === "" ? null : `${local}@${ascii}`;
}
