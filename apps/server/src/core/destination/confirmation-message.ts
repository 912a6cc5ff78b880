/**
 * Our one message to a mailbox that mail is to be forwarded to. All its words are ours: no alias, no account and no tag of
 * the address stands in it, so nobody can have us carry theirs. Pure.
 */
import { product } from "@kauke/contract";
import { formatDate, parseAddress } from "@kauke/mail-rfc";
import { linkDays } from "./confirmation-rules.ts";
import { untaggedMailbox } from "./same-mailbox.ts";

export interface ConfirmationMessage {
  /** e.g. `no-reply@kauke.test` */
  from: string;
  /** The mailbox as an alias names it. */
  mailbox: string;
  /** e.g. `https://kauke.test` */
  origin: string;
  token: string;
  messageId: string;
  /** Letters and digits. */
  boundary: string;
  at: Date;
}

/** @returns plain form, CRLF lines; ASCII but for an address that is not */
export function confirmationMessage(message: ConfirmationMessage): Buffer {
  const { from, boundary } = message;
  const mine = `${message.origin}/confirm/${message.token}`;
  const words = wordsFor(from.slice(from.indexOf("@") + 1), mine);
  const lines = [
    `Date: ${formatDate(message.at)}`,
    `From: ${product.name} <${from}>`,
    `To: ${parseAddress(untaggedMailbox(message.mailbox)).canonical}`,
    `Subject: Is this mailbox yours?`,
    `Message-ID: ${message.messageId}`,
    // RFC 3834; the other is what Exchange reads: no absence notes, please.
    "Auto-Submitted: auto-generated",
    "X-Auto-Response-Suppress: All",
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...part(boundary, "text/plain", plainText(words)),
    ...part(boundary, "text/html", html(words)),
    `--${boundary}--`,
    "",
  ];
  return Buffer.from(lines.join("\r\n"), "utf8");
}

interface Words {
  opening: string[];
  mine: string;
  notMine: string;
  closing: string[];
}

function wordsFor(domain: string, mine: string): Words {
  return {
    opening: [
      `Somebody with an account at ${product.name} (${domain}) has mail forwarded to this mailbox.`,
      "If that is you, please confirm it. Until then only a few messages a day are forwarded.",
    ],
    mine,
    notMine: `${mine}/not-mine`,
    closing: [
      "If you know nothing of it, say so, and that account forwards nothing to you any more.",
      `Nothing happens before you press the button on the page. Both links work for ${linkDays} days.`,
      "This message was sent by a program; nobody reads answers to it.",
    ],
  };
}

function plainText({ opening, mine, notMine, closing }: Words): string[] {
  const [refuse = "", ...rest] = closing;
  return [
    ...opening.flatMap((it) => [it, ""]),
    ...["This is mine:", mine, ""],
    ...[refuse, "", "This is not mine:", notMine, ""],
    ...rest,
  ];
}

function html({ opening, mine, notMine, closing }: Words): string[] {
  const [refuse = "", ...rest] = closing;
  const paragraph = (text: string) => `<p>${text}</p>`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Is this mailbox yours?</title></head><body>',
    ...opening.map(paragraph),
    paragraph(`<a href="${mine}">This is mine</a>`),
    paragraph(refuse),
    paragraph(`<a href="${notMine}">This is not mine</a>`),
    ...rest.map(paragraph),
    "</body></html>",
  ];
}

function part(boundary: string, type: string, lines: readonly string[]): string[] {
  const head = [`--${boundary}`, `Content-Type: ${type}; charset=us-ascii`, "Content-Transfer-Encoding: 7bit"];
  return [...head, "", ...lines];
}
