/**
 * A whole message from what a person typed (RFC 5322, RFC 2045): text/plain in UTF-8, ASCII on the wire unless an address is
 * not. Holds exactly the fields below: no client, no host, no time zone. Nothing typed can add a field or end the header:
 * addresses and identifier are parsed, the subject is cleaned, the text is encoded.
 */
import { parseAddress } from "./address.ts";
import { formatDate } from "./date.ts";

import { parseMessageId } from "./message-id.ts";
import { formatTextField } from "./text-field.ts";
import { encodeText } from "./transfer-encoding.ts";

export interface ComposedMessage {
  /** `local@domain`, the alias. */
  from: string;
  to: string;
  subject: string;
  text: string;
  at: Date;
  /** With its brackets; the same for every try. */
  messageId: string;
}

/**
 * @returns plain form, CRLF lines, ending in CRLF; not dot-stuffed
 * @throws MailSyntaxError for an address or identifier that is none
 */
export function composeMessage(message: ComposedMessage): Buffer {
  const { left, right } = parseMessageId(message.messageId);
  const { encoding, bytes } = encodeText(message.text);
  const header = [
    `Date: ${formatDate(message.at)}\r\n`,
    `From: ${parseAddress(message.from).canonical}\r\n`,
    `To: ${parseAddress(message.to).canonical}\r\n`,
    formatTextField("Subject", message.subject),
    `Message-ID: <${left}@${right}>\r\n`,
    "MIME-Version: 1.0\r\n",
    "Content-Type: text/plain; charset=utf-8\r\n",
    `Content-Transfer-Encoding: ${encoding}\r\n`,
  ];
  return Buffer.concat([Buffer.from(`${header.join("")}\r\n`, "utf8"), bytes]);
}
