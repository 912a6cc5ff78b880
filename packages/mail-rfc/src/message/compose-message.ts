/**
 * Builds a whole message from what a person typed (RFC 5322, RFC 2045): text/plain in UTF-8, ASCII on the wire unless
 * an address is not. The header has only the fields that every message needs, and names no mail program, host or time
 * zone. Typed text cannot add a field or end the header: addresses and identifier are parsed, the subject is cleaned,
 * the text is encoded.
 */
import { parseAddress } from "../address/address.ts";
import { encodeText } from "../body/transfer-encoding.ts";
import { formatDate } from "../header/date.ts";
import { fieldTextBytes, headerField } from "../header/header-field.ts";
import { parseMessageId } from "../header/message-id.ts";
import { formatTextField } from "../header/text-field.ts";

const CRLF = Buffer.from("\r\n");

export interface ComposedMessage {
  /** Address of the alias, `local@domain`. */
  from: string;
  to: string;
  subject: string;
  text: string;
  at: Date;
  /** Message-ID with its brackets; the same for every attempt. */
  messageId: string;
}

/**
 * @returns the message in plain form (not dot-stuffed), CRLF lines, ending in CRLF
 * @throws MailSyntaxError when an address or the identifier is invalid or cannot be written in a field
 */
export function composeMessage(message: ComposedMessage): Buffer {
  const { left, right } = parseMessageId(message.messageId);
  const { encoding, bytes } = encodeText(message.text);
  const header = [
    headerField("Date", [formatDate(message.at)]),
    headerField("From", [parseAddress(message.from).canonical]),
    headerField("To", [parseAddress(message.to).canonical]),
    formatTextField("Subject", message.subject),
    headerField("Message-ID", [`<${left}@${right}>`]),
    headerField("MIME-Version", ["1.0"]),
    headerField("Content-Type", ["text/plain; charset=utf-8"]),
    headerField("Content-Transfer-Encoding", [encoding]),
  ];
  return Buffer.concat([fieldTextBytes(...header), CRLF, bytes]);
}
