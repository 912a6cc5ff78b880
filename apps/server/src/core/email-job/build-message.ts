/** Builds the message, envelope and Message-ID of composed mail. Pure. */
import { domainToASCII } from "node:url";
import { composeMessage, makeMessageId, parseAddress, stuff } from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../message/message.ts";

export interface TypedMessage {
  /** Sender address: `name@domain`, lower case. */
  aliasAddress: string;
  /** Domain of the alias, one of our own. */
  aliasDomain: string;
  to: string;
  subject: string;
  body: string;
}

export interface BuiltMessage {
  /** The message as it is sent and stored, dot-stuffed. */
  wire: Buffer;
  envelope: MessageEnvelope;
  /** Recipient address for the RCPT command. */
  recipient: string;
  messageId: string;
}

/**
 * Builds a composed message.
 * @param random 16 bytes, the only content of the Message-ID besides the domain
 * @throws MailSyntaxError when the recipient is not a valid address
 */
export function buildMessage(typed: TypedMessage, { now, random }: { now: Date; random: Uint8Array }): BuiltMessage {
  const messageId = makeMessageId(random, typed.aliasDomain);
  const recipient = spellRecipient(typed.to);
  const { subject, body, aliasAddress } = typed;
  const bytes = composeMessage({ from: aliasAddress, to: recipient, subject, text: body, at: now, messageId });
  return { wire: stuff(bytes), envelope: envelopeOf(aliasAddress, recipient, now), recipient, messageId };
}

/**
 * Converts an international domain to A-labels, so that only a non-ASCII local part makes the message SMTPUTF8 (RFC
 * 6531).
 */
function spellRecipient(to: string): string {
  const { local, domain, canonical } = parseAddress(to);
  const ascii = domainToASCII(domain);
  return ascii !== "" && /^[ -~]*$/.test(local) ? `${local}@${ascii}` : canonical;
}

/** Envelope without a client: composed mail comes over no SMTP connection. */
function envelopeOf(aliasAddress: string, recipient: string, receivedAt: Date): MessageEnvelope {
  const { needsSmtpUtf8 } = parseAddress(recipient);
  return {
    envelopeFrom: aliasAddress,
    helo: "",
    clientAddress: "",
    protocol: needsSmtpUtf8 ? "UTF8SMTP" : "ESMTP",
    receivedAt,
    eightBit: needsSmtpUtf8,
    smtpUtf8: needsSmtpUtf8,
  };
}
