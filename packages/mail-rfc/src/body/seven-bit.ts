/** Turns 8bit and binary bodies into 7bit ones (RFC 6152 §3), for ways that take ASCII only. */
import { isAscii } from "node:buffer";
import { fieldTextBytes, headerField } from "../header/header-field.ts";
import { findField, firstValue, readHeader } from "../header/headers.ts";
import { type MimePart, readPartTree, typeOf } from "./part-tree.ts";
import { toBase64Lines, toQuotedPrintableLines } from "./transfer-encoding.ts";

interface Edit {
  start: number;
  end: number;
  bytes: Buffer;
}

const NAME = "content-transfer-encoding";
const BODY_CODES = /^(?:8bit|binary|7bit|)$/;

/**
 * Text becomes quoted-printable, all else base64.
 * @param message plain form, not dot-stuffed
 * @returns `null` for other octets where they can't be encoded: in a header, a signed part or an attached message
 */
export function toSevenBit(message: Buffer): Buffer | null {
  if (isAscii(message)) return message;
  // With the blank line, as the parts below have it.
  const bodyStart = readHeader(message).end + 2;
  const whole = readPartTree(message.subarray(0, bodyStart), message.subarray(bodyStart));
  const edits = whole === null ? null : editsOf(whole, message);
  if (edits === null) return null;
  const starts = [0, ...edits.map((edit) => edit.end)];
  const pieces = starts.flatMap((start, at) => {
    const edit = edits[at];
    return [message.subarray(start, edit?.start), ...(edit === undefined ? [] : [edit.bytes])];
  });
  const converted = Buffer.concat(pieces);
  return isAscii(converted) ? converted : null;
}

/** In the order of the message. The buffers of a part are views of the message's. */
function editsOf(part: MimePart, message: Buffer): Edit[] | null {
  const encoding = (firstValue(part.header, part.block.fields, NAME) ?? "").trim().toLowerCase();
  if (part.children.length > 0) {
    const own = BODY_CODES.test(encoding) && encoding !== "" ? [encodingEdit(part, message, "7bit")] : [];
    const others = part.children.map((child) => editsOf(child, message));
    return others.includes(null) ? null : [...own, ...others.flatMap((edits) => edits ?? [])];
  }
  if (isAscii(part.body)) return [];
  const type = typeOf(part).trim().toLowerCase();
  // Without a blank line, a field in front of the body would take the body for header.
  if (!part.block.isSeparated || !BODY_CODES.test(encoding) || /^(?:multipart|message)\//.test(type)) return null;
  const isText = type === "" || type.startsWith("text/");
  const start = part.body.byteOffset - message.byteOffset;
  const bytes = isText ? toQuotedPrintableLines(part.body) : toBase64Lines(part.body);
  const code = isText ? "quoted-printable" : "base64";
  return [encodingEdit(part, message, code), { start, end: start + part.body.length, bytes }];
}

/** Replaces the field, or adds it below the others. */
function encodingEdit({ header, block }: MimePart, message: Buffer, code: string): Edit {
  const offset = header.byteOffset - message.byteOffset;
  const field = findField(block.fields, NAME);
  const bytes = fieldTextBytes(headerField("Content-Transfer-Encoding", [code]));
  if (field !== null) return { start: offset + field.start, end: offset + field.end, bytes };
  return { start: offset + block.end, end: offset + block.end, bytes };
}
