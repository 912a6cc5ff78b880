/** For a parser that believes every charset label, takes raw header octets for UTF-8, and drops bare CRs. */
import { isUtf8 } from "node:buffer";
import { charsetLabel, isUndeclaredUtf8 } from "../header/encoded-word.ts";
import { fieldValue, firstValue, type HeaderField, readHeader } from "../header/headers.ts";
import { ParseBudget } from "./parse-budget.ts";
import { partFieldsOf, readContentParameters } from "./part-header.ts";
import { type MimePart, readPartTree, typeOf } from "./part-tree.ts";
import { decodeTransfer, toBase64Lines } from "./transfer-encoding.ts";

interface Edit {
  replaced: Buffer;
  bytes: Buffer;
}

const EVERY_MULTIPART = /^multipart\//i;
const INLINE_TEXT = /^text\/(?:plain|html)$/;
/** Transfer encodings in which a line end stands for itself. */
const LINE_ENCODINGS: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary", "quoted-printable"]);

/** Fixes charset labels, and makes fields UTF-8 and attachments base64; unchanged beyond the limits. */
export function withReadableParts(message: Buffer): Buffer {
  const { end, isSeparated } = readHeader(message);
  if (!isSeparated) return message;
  const root = readPartTree(message.subarray(0, end), message.subarray(end + 2), new ParseBudget(), EVERY_MULTIPART);
  const edits = root === null ? [] : editsOf({ ...root, block: { ...root.block, isSeparated } }, "text/plain");
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { replaced, bytes } of edits) {
    const start = replaced.byteOffset - message.byteOffset;
    pieces.push(message.subarray(at, start), bytes);
    at = start + replaced.length;
  }
  return edits.length === 0 ? message : Buffer.concat([...pieces, message.subarray(at)]);
}

/** @param defaultType media type of a part that declares none */
function editsOf(part: MimePart, defaultType: string): Edit[] {
  const type = typeOf(part);
  const { value } = readContentParameters(type);
  const inside = value === "multipart/digest" ? "message/rfc822" : "text/plain";
  if (value.startsWith("multipart/"))
    return [...headerEdit(part, new Map()), ...part.children.flatMap((child) => editsOf(child, inside))];
  if (!part.block.isSeparated) return headerEdit(part, new Map());
  return leafEdits(part, value || defaultType, type);
}

function leafEdits(part: MimePart, mediaType: string, type: string): Edit[] {
  const written = (name: string) => firstValue(part.header, part.block.fields, name) ?? "";
  const { encoding } = partFieldsOf(
    new Map([["content-transfer-encoding", written("content-transfer-encoding").slice(0, 1000)]]),
  );
  const disposition = readContentParameters(written("content-disposition")).value;
  if (INLINE_TEXT.test(mediaType) && disposition !== "attachment") {
    const charset = rightCharset(decodeTransfer(part.body, encoding), charsetLabel(type));
    return headerEdit(part, charset === null ? new Map() : new Map([["content-type", labelled(type, charset)]]));
  }
  if (!LINE_ENCODINGS.has(encoding)) return headerEdit(part, new Map());
  const bytes = toBase64Lines(decodeTransfer(part.body, encoding));
  return [...headerEdit(part, new Map([["content-transfer-encoding", "base64"]])), { replaced: part.body, bytes }];
}

function rightCharset(bytes: Buffer, label: string | null): string | null {
  if (label === null) return isUtf8(bytes) ? null : "windows-1252";
  return isUndeclaredUtf8(bytes, label) ? "utf-8" : null;
}

/** Adds the charset before all other parameters, because programs use the first of two. */
function labelled(type: string, charset: string): string {
  const [value = "", ...parameters] = (type || "text/plain").split(";");
  return [value, ` charset=${charset}`, ...parameters].join(";");
}

function headerEdit({ header, block }: MimePart, values: ReadonlyMap<string, string>): Edit[] {
  const charset = charsetLabel(firstValue(header, block.fields, "content-type") ?? "");
  const missing = [...values.keys()].filter((name) => !block.fields.some((field) => field.name === name));
  const isChanged = (field: HeaderField) => values.has(field.name) || !isUtf8(header.subarray(field.start, field.end));
  if (missing.length === 0 && !block.fields.some(isChanged)) return [];
  const fields = block.fields.map((field) => {
    if (!isChanged(field)) return header.subarray(field.start, field.end);
    const name = header.toString("latin1", field.start, header.indexOf(":", field.start)).trimEnd();
    return Buffer.from(`${name}: ${values.get(field.name) ?? fieldValue(header, field, charset)}\r\n`);
  });
  const added = missing.map((name) => Buffer.from(`${name}: ${values.get(name)}\r\n`));
  return [{ replaced: header, bytes: Buffer.concat([...added, ...fields]) }];
}
