/** The form of every message we write ourselves: from our first domain, plain text and HTML, no answers please. Pure. */
import { product } from "@kauke/contract";
import { formatDate, parseAddress } from "@kauke/mail-rfc";
import { untaggedMailbox } from "../destination/same-mailbox.ts";

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

/** @returns plain form, CRLF lines; ASCII but for an address that is not */
export function ownMessage(head: OwnMessageHead, text: OwnMessageText): Buffer {
  const { from, boundary } = head;
  const lines = [
    `Date: ${formatDate(head.at)}`,
    `From: ${product.name} <${from}>`,
    `To: ${parseAddress(untaggedMailbox(head.mailbox)).canonical}`,
    `Subject: ${text.subject}`,
    `Message-ID: ${head.messageId}`,
    // RFC 3834; the other is what Exchange reads: no absence notes, please.
    "Auto-Submitted: auto-generated",
    "X-Auto-Response-Suppress: All",
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...part(boundary, "text/plain", text.plain),
    ...part(boundary, "text/html", html(text)),
    `--${boundary}--`,
    "",
  ];
  return Buffer.from(lines.join("\r\n"), "utf8");
}

function html({ subject, paragraphs }: OwnMessageText): string[] {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head><body>`,
    ...paragraphs.map((it) => `<p>${it}</p>`),
    "</body></html>",
  ];
}

function part(boundary: string, type: string, lines: readonly string[]): string[] {
  const head = [`--${boundary}`, `Content-Type: ${type}; charset=us-ascii`, "Content-Transfer-Encoding: 7bit"];
  return [...head, "", ...lines];
}
