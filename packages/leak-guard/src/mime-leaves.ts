/**
 * Yields every decoded header and body of a message with its part number: also what programs do not show (text around
 * multiparts, bodies behind broken boundaries, parts beyond the limits).
 */
import {
  costNs,
  decodeTransfer,
  delimiterLines,
  fieldValue,
  firstValue,
  type HeaderField,
  MailSyntaxError,
  ParseBudget,
  ParseLimitError,
  type PartKind,
  readHeader,
} from "@kauke/mail-rfc";
import { UnsearchableError } from "./unpack/unpack-limits.ts";

export interface MimeLeaf {
  part: string;
  kind: PartKind;
  bytes: Buffer;
  charset: string;
  fields?: readonly HeaderField[];
  isMessage: boolean;
}

/** Depth of nesting beyond which a multipart is not split. */
const DEPTH_MAX = 30;
/** Maximum parts; each further one is searched as text with its header. */
const PARTS_MAX = 5000;
/** Maximum nanoseconds for splitting; generous, since searching costs far more, in a separate process. */
const SPLIT_COST_MAX_NS = 400_000_000;
const CRLF = Buffer.from("\r\n");

const kinds: readonly (readonly [RegExp, PartKind])[] = [
  [/^text\/html\b/, "html"],
  [/^text\/calendar\b|^application\/ics\b/, "calendar"],
  [/^text\/(?:rfc822|plain)|^message\//, "text"],
  [/^application\/(?:x-)?pkcs7-/, "smime"],
  [/^application\/pgp-/, "openpgp"],
  [/^application\/(?:vnd\.)?ms-tnef\b/, "tnef"],
  [/^application\/pdf\b/, "pdf"],
  [/^image\//, "picture"],
  [/zip|compressed|openxmlformats|opendocument|epub/, "archive"],
];

/**
 * Yields leaves in order, without overlap; an attached message is one body.
 * @param part "" for the message as a whole
 * @throws UnsearchableError `too_many_members` when finding the parts takes too long
 */
export function* mimeLeaves(message: Buffer, part = ""): Generator<MimeLeaf> {
  const shared = { room: { parts: PARTS_MAX }, budget: new ParseBudget(SPLIT_COST_MAX_NS) };
  try {
    yield* entityLeaves(withCrlf(message), { part, depth: 0, ...shared, isRoot: true });
  } catch (thrown) {
    throw thrown instanceof ParseLimitError ? new UnsearchableError("too_many_members") : thrown;
  }
}

interface Place {
  part: string;
  depth: number;
  room: { parts: number };
  budget: ParseBudget;
  isRoot: boolean;
}

function* entityLeaves(entity: Buffer, place: Place): Generator<MimeLeaf> {
  const { part, budget } = place;
  const block = readBlock(entity);
  budget.spend(block.end * costNs.headerByte + block.fields.length * costNs.headerLine);
  const header = entity.subarray(0, block.end);
  const body = entity.subarray(block.isSeparated ? block.end + 2 : block.end);
  const value = (name: string) => (firstValue(header, block.fields, name) ?? "").slice(0, 4096);
  const type = value("content-type").toLowerCase();
  if (header.length > 0) {
    yield { part, kind: "header", bytes: header, charset: "", fields: block.fields, isMessage: false };
  }
  const boundary = /^\s*multipart\//.test(type) ? boundaryOf(value("content-type")) : null;
  if (boundary !== null && place.depth < DEPTH_MAX) return yield* multipartLeaves(body, boundary, place);
  const bytes = decodeTransfer(body, value("content-transfer-encoding").trim().toLowerCase());
  const number = place.isRoot ? numbered(part, 1) : part;
  const isMessage = /^\s*message\/(?:rfc822|global)\b/.test(type);
  yield { part: number, kind: isMessage ? "message" : kindOf(type), bytes, charset: charsetOf(type), isMessage };
}

/** Reads the header; one that exceeds the limits counts as body text. */
function readBlock(entity: Buffer) {
  try {
    return readHeader(entity);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return { fields: [], end: 0, isSeparated: false };
    throw thrown;
  }
}

function* multipartLeaves(body: Buffer, boundary: string, place: Place): Generator<MimeLeaf> {
  const { part, depth, room } = place;
  let count = 0;
  for (const { bytes, isPart } of splitAt(body, boundary, place.budget)) {
    if (isPart && room.parts-- > 0) {
      count += 1;
      yield* entityLeaves(bytes, { ...place, part: numbered(part, count), depth: depth + 1, isRoot: false });
    } else if (bytes.length > 0) yield { part, kind: "text", bytes, charset: "", isMessage: false };
  }
}

const numbered = (part: string, count: number): string => (part === "" ? `${count}` : `${part}.${count}`);

/** Splits a multipart, including preamble and epilogue (RFC 2046 §5.1.1). */
function* splitAt(body: Buffer, boundary: string, budget: ParseBudget): Generator<{ bytes: Buffer; isPart: boolean }> {
  const delimiter = Buffer.from(`--${boundary}`);
  let start = 0;
  let isPart = false;
  for (const line of delimiterLines({ bytes: body, start: 0, end: body.length, delimiter, budget })) {
    // More text after the boundary belongs to another, longer boundary.
    if (!line.isWhole || line.before === "\r" || line.lineEnd === "\r") continue;
    yield { bytes: body.subarray(start, isPart ? Math.max(start, line.at - line.before.length) : line.at), isPart };
    start = line.end;
    isPart = !line.isClosing;
    if (!isPart) break;
  }
  yield { bytes: body.subarray(start), isPart };
}

function boundaryOf(type: string): string | null {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? [];
  return quoted || plain || null;
}

function charsetOf(type: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/.exec(type)?.[1] ?? "";
}

/** @param type media type in lower case; "" counts as text */
function kindOf(type: string): PartKind {
  if (type.trim() === "") return "text";
  return kinds.find(([pattern]) => pattern.test(type.trim()))?.[1] ?? "attachment";
}

function withCrlf(message: Buffer): Buffer {
  const head = message.subarray(0, 65_536);
  if (head.includes(CRLF) || !head.includes(0x0a)) return message;
  return Buffer.from(message.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

const HEAD_BYTES = 65_536;

/** A message file may begin with an mbox "From " line. */
export function looksLikeMessage(bytes: Buffer): boolean {
  const head = withCrlf(bytes.subarray(0, HEAD_BYTES));
  const { fields } = readBlock(head.subarray(head.indexOf("From ") === 0 ? head.indexOf("\n") + 1 : 0));
  return fields.some(({ name }) => /^(?:content-type|content-transfer-encoding|mime-version)$/.test(name));
}

const identifierFields = /^(?:message-id|in-reply-to|references|content-|list-|return-path$|x-)/;

/** Fields that name people, and those whose identifiers and file names may embed an address in a longer token. */
export function splitHeader({ bytes, fields = [] }: MimeLeaf): { people: string; identifiers: string } {
  const text = (isIdentifier: boolean) =>
    fields
      .filter((field) => identifierFields.test(field.name) === isIdentifier)
      .map((field) => `${field.name}: ${fieldValue(bytes, field)}`)
      .join("\r\n");
  return { people: text(false), identifiers: text(true) };
}
