/**
 * A message inside another one, as an attachment under a text of ours (RFC 2046 §5.2.1): mail programs act on what they show, not
 * on what a person has yet to open. Every byte of the body stays, so that a signature still covers it.
 */
import { fieldBytes } from "../address/address-header.ts";
import { fieldTextBytes, headerField, NO_FIELD } from "../header/header-field.ts";
import { readHeader } from "../header/headers.ts";

export interface WrapSource {
  /** The header as it would leave, wire form, no blank line. */
  header: Buffer;
  /** Plain form or wire form, CRLF at its end. */
  body: Buffer;
  /** CRLF lines, the last one ended; no line begins with a dot or with two dashes. */
  notice: string;
  /** May not be in `header` or `body`: derive it from a secret. */
  boundary: string;
  /** Name of the attachment. */
  fileName: string;
  /** Whether header or body hold more than ASCII. */
  eightBit: boolean;
}

export interface WrappedMessage {
  header: Buffer;
  /** In pieces, without the blank line in front. */
  body: Buffer[];
}

const CRLF = Buffer.from("\r\n");
const isMime = (name: string) => name === "mime-version" || name.startsWith("content-") || name === "lines";

/** Outside it has the same From, Subject, Date and thread, so that it is shown and answered like the one inside. */
export function wrapMessage({ header, body, notice, boundary, fileName, eightBit }: WrapSource): WrappedMessage {
  const { fields } = readHeader(header);
  const outside = fields.filter(({ name }) => !isMime(name)).map((field) => fieldBytes(header, field));
  const encoding = headerField("Content-Transfer-Encoding", [eightBit ? "8bit" : "7bit"]);
  const mime = headerField("MIME-Version", ["1.0"]);
  const type = headerField("Content-Type", ["multipart/mixed;", `boundary="${boundary}"`]);
  const opening = [
    Buffer.from(`--${boundary}\r\n`),
    fieldTextBytes(headerField("Content-Type", ["text/plain;", "charset=utf-8"])),
    Buffer.from(`\r\n${notice}\r\n--${boundary}\r\n`),
    fieldTextBytes(
      headerField("Content-Type", ["message/rfc822"]),
      encoding,
      headerField("Content-Disposition", ["attachment;", `filename="${fileName}"`]),
    ),
    CRLF,
  ];
  return {
    header: Buffer.concat([...outside, fieldTextBytes(mime, type, eightBit ? encoding : NO_FIELD)]),
    body: [Buffer.concat(opening), header, CRLF, body, Buffer.from(`\r\n--${boundary}--\r\n`)],
  };
}
