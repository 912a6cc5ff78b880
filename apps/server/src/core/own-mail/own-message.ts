/** The form of every message we write ourselves: from our first domain, plain text and HTML, no answers please. Pure. */
import { product } from "@kauke/contract";
import { fieldTextBytes, formatAddressField, formatDate, headerField, joinFields, parseAddress } from "@kauke/mail-rfc";
import { untaggedMailbox } from "../destination/same-mailbox.ts";
import { ownHtml } from "./own-html.ts";

export interface OwnMailSettings {
  /** Where the links lead, e.g. `https://kauke.test`. */
  origin: string;
  /** Our first domain: who writes. */
  domain: string;
}

export interface OwnMessageHead {
  /** e.g. `no-reply@kauke.test` */
  from: string;
  /** The mailbox in any spelling; nothing that stands in its tag is repeated. */
  mailbox: string;
  messageId: string;
  /** Letters and digits. */
  boundary: string;
  at: Date;
}

/** Short lines of ASCII; the HTML is whole sentences in paragraphs, so nothing needs escaping. */
export interface OwnMessageText {
  subject: string;
  plain: readonly string[];
  paragraphs: readonly string[];
}

/**
 * @returns plain form, CRLF lines; ASCII but for an address that is not
 * @throws MailSyntaxError when the mailbox is no address, or can stand in no field
 */
export function ownMessage(head: OwnMessageHead, text: OwnMessageText): Buffer {
  const { from, boundary } = head;
  const header = fieldTextBytes(
    headerField("Date", [formatDate(head.at)]),
    formatAddressField("From", [{ name: product.name, address: from }]),
    headerField("To", [parseAddress(untaggedMailbox(head.mailbox)).canonical]),
    headerField("Subject", text.subject.split(" ")),
    headerField("Message-ID", [head.messageId]),
    // RFC 3834; the other is what Exchange reads: no absence notes, please.
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
