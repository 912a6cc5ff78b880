/**
 * Header and MIME frame of an encrypted copy: all that a mail host or a reader without the key sees. It shows the Date,
 * how often the message was encrypted, and of the people only reply addresses without names. Pure.
 */
import { createHmac } from "node:crypto";
import {
  addressesOf,
  domainOf,
  type FieldText,
  fieldTextBytes,
  firstValue,
  formatAddressField,
  formatDate,
  formatResultsField,
  type HeaderField,
  type HeaderSource,
  headerField,
  joinFields,
  type Mailbox,
  NO_FIELD,
  readDate,
  readHeader,
  replyAddress,
  resultsValue,
  toBase32,
  unknownAuthor,
} from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../../core/message/message.ts";
import type { Correspondent } from "./reply-book.ts";
import type { RewriteSource, Rewritten } from "./rewrite.ts";

export interface OuterMessage {
  header: Buffer;
  opening: Buffer;
  closing: Buffer;
  correspondents: readonly Correspondent[];
}

export interface EncryptedSource extends RewriteSource {
  replyKey: Buffer;
}

const ENCRYPTION_PASSES_FIELD = "Kauke-Sealed";
export const ENCRYPTION_PASSES_MAX = 10;
/** Subject of a copy whose real one is encrypted (RFC 9788). */
const HIDDEN_SUBJECT = "[...]";
const UNVERIFIED = "Unverified sender";
const FILE_NAME = "message.eml.age";

/** @param rewritten header of a plain copy, from which the reply addresses are taken */
export function outerMessage(
  source: EncryptedSource,
  { header, fields: headerFields, replies }: Rewritten,
  mailHost: string,
): OuterMessage {
  const { envelope, aliasAddress } = source;
  const plain: HeaderSource = { header, fields: headerFields ?? readHeader(header).fields };
  const isVerified = envelope.authentication?.isAligned ?? true;
  const from = withoutNames(plain, "from", isVerified ? null : UNVERIFIED);
  const replyTo = withoutNames(plain, "reply-to", null);
  const stamp = stampOf(source);
  const boundary = `=_${stamp}`;
  const passes = readEncryptionPasses(source.wire, source.header.fields) + 1;
  const fields = [
    headerField("Delivered-To", [aliasAddress]),
    headerField(ENCRYPTION_PASSES_FIELD, [String(passes)]),
    authenticationResults(envelope.authentication, mailHost),
    headerField("Date", [formatDate(sentAt(source))]),
    formatAddressField("From", from.length === 0 ? [unknownAuthor("", domainOf(aliasAddress))] : from),
    formatAddressField("Reply-To", replyTo),
    headerField("To", [aliasAddress]),
    headerField("Subject", [HIDDEN_SUBJECT]),
    headerField("Message-ID", [`<${stamp}@${domainOf(aliasAddress)}>`]),
    headerField("MIME-Version", ["1.0"]),
    headerField("Content-Type", [`multipart/mixed; boundary="${boundary}"`]),
  ];
  const shown = new Set([...from, ...replyTo].map(({ address }) => address.toLowerCase()));
  const domain = domainOf(aliasAddress);
  return {
    header: fieldTextBytes(...fields),
    opening: Buffer.from(`\r\n${openingOf(boundary, aliasAddress)}`, "utf8"),
    closing: Buffer.from(`\r\n--${boundary}--\r\n`),
    correspondents: (replies?.correspondents() ?? []).filter(({ token }) => shown.has(replyAddress(token, domain))),
  };
}

function openingOf(boundary: string, aliasAddress: string): string {
  const sevenBit = headerField("Content-Transfer-Encoding", ["7bit"]);
  const textHeader = joinFields([headerField("Content-Type", ["text/plain; charset=utf-8"]), sevenBit]);
  const fileHeader = joinFields([
    headerField("Content-Type", [`application/vnd.age; name="${FILE_NAME}"`]),
    sevenBit,
    headerField("Content-Disposition", [`attachment; filename="${FILE_NAME}"`]),
  ]);
  return [
    `--${boundary}`,
    textHeader,
    `A message to ${aliasAddress}, encrypted to your key. Subject and content are in ${FILE_NAME}.`,
    `Open it on the Decrypt page, or with: age -d -i key.txt ${FILE_NAME} > message.eml`,
    "",
    `--${boundary}`,
    fileHeader,
    "",
  ].join("\r\n");
}

function withoutNames(plain: HeaderSource, field: string, name: string | null): Mailbox[] {
  return addressesOf(plain, field).mailboxes.map(({ address }) => ({ name, address }));
}

/** Only the result of each method: the full field names the sender's domain and address. */
function authenticationResults(found: MessageAuthentication | undefined, mailHost: string): FieldText {
  if (found === undefined || found.results === null) return NO_FIELD;
  const methods = ["spf", "dkim", "dmarc", "arc"] as const;
  const verdicts = methods.map((method) => ({ method, result: found[method] }));
  return formatResultsField(resultsValue(mailHost, verdicts));
}

function sentAt({ wire, header, envelope }: EncryptedSource): Date {
  return readDate(firstValue(wire, header.fields, "date") ?? "") ?? envelope.receivedAt;
}

/** Stamp of a copy: differs by alias, but not by attempt, so that duplicates are recognized. */
function stampOf({ replyKey, messageId }: EncryptedSource): string {
  const mac = createHmac("sha256", replyKey).update("sealed message id\0").update(messageId).digest();
  return toBase32(mac).slice(0, 32);
}

/**
 * Counts how many servers like this one have encrypted a message: an encrypted copy has no `Received` fields of the
 * original, so a loop between two such servers would go undetected.
 * @returns 0 when the field is missing or is no number of at most three digits
 */
export function readEncryptionPasses(wire: Buffer, fields: readonly HeaderField[]): number {
  const value = firstValue(wire, fields, ENCRYPTION_PASSES_FIELD.toLowerCase())?.trim() ?? "";
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
}
