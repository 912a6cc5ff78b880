/** From what a person typed to what is stored and sent: the finished message, its envelope and its identifier. Pure. */
import { domainToASCII } from "node:url";
import { composeMessage, makeMessageId, parseAddress, stuff } from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../message/message.ts";

export interface TypedMessage {
  /** `name@domain`, lower case. */
  aliasAddress: string;
  /** One of our domains. */
  aliasDomain: string;
  to: string;
  subject: string;
  body: string;
}

export interface BuiltMessage {
  /** Wire form: dot-stuffed. */
  wire: Buffer;
  envelope: MessageEnvelope;
  /** As it goes into RCPT TO. */
  recipient: string;
  messageId: string;
}

/** @param random 16 bytes; the identifier holds nothing else. @throws MailSyntaxError when `to` is no address */
export function buildMessage(typed: TypedMessage, { now, random }: { now: Date; random: Uint8Array }): BuiltMessage {
  const messageId = makeMessageId(random, typed.aliasDomain);
  const recipient = spellRecipient(typed.to);
  const { subject, body, aliasAddress } = typed;
  const bytes = composeMessage({ from: aliasAddress, to: recipient, subject, text: body, at: now, messageId });
  return { wire: stuff(bytes), envelope: envelopeOf(aliasAddress, recipient, now), recipient, messageId };
}

/** An international domain goes out as A-labels; only a local part that needs it makes the message SMTPUTF8 (RFC 6531). */
function spellRecipient(to: string): string {
  const { local, domain, canonical } = parseAddress(to);
  const ascii = domainToASCII(domain);
  return ascii !== "" && /^[ -~]*$/.test(local) ? `${local}@${ascii}` : canonical;
}

/** Nobody connected to us: there is no client to name. */
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
