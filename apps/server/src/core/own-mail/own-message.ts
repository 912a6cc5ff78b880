/**
 * Builds the messages we write ourselves: sent from our first domain, as plain text and HTML, marked as automatic.
 * Pure.
 */
import { product } from "@kauke/contract";
import { fieldTextBytes, formatAddressField, formatDate, headerField, joinFields, parseAddress } from "@kauke/mail-rfc";
import { untaggedMailbox } from "../destination/same-mailbox.ts";
import { ownHtml } from "./own-html.ts";

export interface OwnMailSettings {
  /** Base URL of the links in messages we write ourselves, e.g. `https://kauke.test`. */
  origin: string;
  /** Our first domain, which is the domain of the From address. */
  domain: string;
}

export interface OwnMessageHead {
  /** From address, e.g. `no-reply@kauke.test`. */
  from: string;
  /** Recipient in any spelling; a plus tag is removed from the To field. */
  mailbox: string;
  messageId: string;
  /** MIME boundary of letters and digits. */
  boundary: string;
  at: Date;
}

/**
 * Subject, plain text and HTML paragraphs of a message, in short lines of ASCII. The paragraphs are inserted into the
 * HTML without escaping.
 */
export interface OwnMessageText {
  subject: string;
  plain: readonly string[];
  paragraphs: readonly string[];
}

/**
 * Builds a message from our own text.
 * @returns the message with CRLF lines, not dot-stuffed; all ASCII unless the recipient's address is not
 * @throws MailSyntaxError when the recipient's mailbox is not a valid address, or cannot be written in a header field
 */
export function ownMessage(head: OwnMessageHead, text: OwnMessageText): Buffer {
  const { from, boundary } = head;
  const header = fieldTextBytes(
    headerField("Date", [formatDate(head.at)]),
    formatAddressField("From", [{ name: product.name, address: from }]),
    headerField("To", [parseAddress(untaggedMailbox(head.mailbox)).canonical]),
    headerField("Subject", text.subject.split(" ")),
    headerField("Message-ID", [head.messageId]),
    // Both fields ask not to reply automatically: Auto-Submitted as RFC 3834 defines, X-Auto-Response-Suppress for
    // Exchange.
    headerField("Auto-Submitted", ["auto-generated"]),
    headerField("X-Auto-Response-Suppress", ["All"]),
    headerField("MIME-Version", ["1.0"]),
    headerField("Content-Type", [`multipart/alternative; boundary="${boundary}"`]),
  );
  const lines = [
    "",
    ...part(boundary, "text/plain", text.plain),
    ...part(boundary, "text/html", ownHtml(text.subject, text.paragraphs)),
    `--${boundary}--`,
    "",
  ];
  return Buffer.concat([header, Buffer.from(lines.join("\r\n"), "utf8")]);
}

function part(boundary: string, type: string, lines: readonly string[]): string[] {
  const head = joinFields([
    headerField("Content-Type", [`${type}; charset=us-ascii`]),
    headerField("Content-Transfer-Encoding", ["7bit"]),
  ]);
  return [`--${boundary}`, head, ...lines];
}
