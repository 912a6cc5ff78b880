/**
 * Attaches a message to another one below a text of ours (RFC 2046 §5.2.1): programs act on what they display, not on
 * an unopened attachment. The body stays byte for byte, so signatures remain valid.
 */

import { fieldBytes, fieldTextBytes, headerField, NO_FIELD, readHeader } from "@kauke/mail-rfc";

export interface WrapSource {
  header: Buffer;
  /** Body of the attached message, plain or wire form, ending in CRLF. */
  body: Buffer;
  /** Text above the attachment: terminated CRLF lines, none of which may begin with a dot or two dashes. */
  notice: string;
  /** Boundary, which must not occur in `header` or `body`, so callers derive it from a secret. */
  boundary: string;
  fileName: string;
  eightBit: boolean;
}

export interface WrappedMessage {
  header: Buffer;
  body: Buffer[];
}

const CRLF = Buffer.from("\r\n");
const isMime = (name: string) => name === "mime-version" || name.startsWith("content-") || name === "lines";

/** Wraps a message with the same From, Subject, Date and thread, so that programs display it like the attached one. */
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
