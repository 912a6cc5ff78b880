/**
 * The outside of a message that is forwarded sealed: what a mail host and anybody who reads the mailbox see of it. Nothing of the
 * original but its Date; the correspondent is a reply address without a name, so that an answer finds its way. Pure.
 */
import { createHmac } from "node:crypto";
import {
  addressesOf,
  firstValue,
  formatAddressField,
  formatDate,
  type HeaderSource,
  type Mailbox,
  readDate,
  readHeader,
  replyAddress,
  toBase32,
} from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../core/message/message.ts";
import type { RewriteSource, Rewritten } from "./inbound/rewrite.ts";
import { domainOf } from "./message-signer.ts";
import type { Correspondent } from "./reply-book.ts";

export interface SealedOutside {
  /** The whole header block, no blank line. */
  header: Buffer;
  /** The blank line and the body up to the armor. */
  opening: Buffer;
  /** The body after the armor. */
  closing: Buffer;
  /** Whose reply addresses are in it. */
  correspondents: readonly Correspondent[];
}

export interface SealedSource extends RewriteSource {
  replyKey: Buffer;
}

/** RFC 9788's stand-in for a subject that is not shown. */
const HIDDEN_SUBJECT = "[...]";
const UNVERIFIED = "Unverified sender";
const FILE_NAME = "message.eml.age";

/** @param rewritten the header as it would leave unsealed: who may be answered is taken from there */
export function sealedOutside(
  source: SealedSource,
  { header, correspondents }: Rewritten,
  mailHost: string,
): SealedOutside {
  const { envelope, aliasAddress } = source;
  const plain: HeaderSource = { header, fields: readHeader(header).fields };
  const isVerified = envelope.authentication?.isAligned ?? true;
  const from = withoutNames(plain, "from", isVerified ? null : UNVERIFIED);
  const replyTo = withoutNames(plain, "reply-to", null);
  const stamp = stampOf(source);
  const boundary = `=_${stamp}`;
  const fields = [
    `Delivered-To: ${aliasAddress}\r\n`,
    authenticationResults(envelope.authentication, mailHost),
    `Date: ${formatDate(sentAt(source))}\r\n`,
    from.length === 0 ? "From: Unknown sender:;\r\n" : formatAddressField("From", from),
    formatAddressField("Reply-To", replyTo),
    `To: ${aliasAddress}\r\n`,
    `Subject: ${HIDDEN_SUBJECT}\r\n`,
    `Message-ID: <${stamp}@${domainOf(aliasAddress)}>\r\n`,
    "MIME-Version: 1.0\r\n",
    `Content-Type: multipart/mixed; boundary="${boundary}"\r\n`,
  ];
  const shown = new Set([...from, ...replyTo].map(({ address }) => address.toLowerCase()));
  const domain = domainOf(aliasAddress);
  return {
    header: Buffer.from(fields.join(""), "utf8"),
    opening: Buffer.from(`\r\n${openingOf(boundary, aliasAddress)}`, "utf8"),
    closing: Buffer.from(`\r\n--${boundary}--\r\n`),
    correspondents: correspondents.filter(({ token }) => shown.has(replyAddress(token, domain))),
  };
}

function openingOf(boundary: string, aliasAddress: string): string {
  return [
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 7bit",
    "",
    `A message to ${aliasAddress}, sealed to your key. Subject and content are in ${FILE_NAME}.`,
    `Open it on the Decrypt page, or with: age -d -i key.txt ${FILE_NAME} > message.eml`,
    "",
    `--${boundary}`,
    `Content-Type: application/vnd.age; name="${FILE_NAME}"`,
    "Content-Transfer-Encoding: 7bit",
    `Content-Disposition: attachment; filename="${FILE_NAME}"`,
    "",
    "",
  ].join("\r\n");
}

/** Both are the rewritten ones: reply addresses, and spellings of the alias itself. */
function withoutNames(plain: HeaderSource, field: string, name: string | null): Mailbox[] {
  return addressesOf(plain, field).mailboxes.map(({ address }) => ({ name, address }));
}

/** The verdicts alone: the full field names the sender's domain and address. */
function authenticationResults(found: MessageAuthentication | undefined, mailHost: string): string {
  if (found === undefined || found.results === null) return "";
  const { spf, dkim, dmarc, arc } = found;
  return `Authentication-Results: ${mailHost}; spf=${spf}; dkim=${dkim};\r\n dmarc=${dmarc}; arc=${arc}\r\n`;
}

function sentAt({ wire, header, envelope }: SealedSource): Date {
  return readDate(firstValue(wire, header.fields, "date") ?? "") ?? envelope.receivedAt;
}

/** The same at every attempt, so that a mailbox can tell a repeated message; another for every alias. */
function stampOf({ replyKey, messageId }: SealedSource): string {
  const mac = createHmac("sha256", replyKey).update("sealed message id\0").update(messageId).digest();
  return toBase32(mac).slice(0, 32);
}
