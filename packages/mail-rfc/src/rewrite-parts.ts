/**
 * The inside of a message its owner sends as an alias: parts keep what shows them and lose the rest. Mail programs write their
 * name into boundaries, the mailbox' domain or the computer's name into Content-ID, zones into dates of files; some add fields of
 * their own (RFC 2045, 2183, 2392). A signed part and an attached message stay byte for byte: changing them would break them.
 */
import { createHmac } from "node:crypto";
import { fieldBytes } from "./address-header.ts";
import { toBase32 } from "./base32.ts";
import { findField, firstValue, type HeaderBlock, readHeader } from "./headers.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";
import { decodeQuotedPrintable, toBase64Lines } from "./transfer-encoding.ts";

export interface PartsSource {
  /** The message's new header block, without the blank line. */
  header: Buffer;
  /** Plain form (not dot-stuffed). */
  body: Buffer;
  /** At least 16 random bytes in base32, new for each message. */
  token: string;
  /** For the right side of Content-ID. */
  domain: string;
}

export interface RewrittenParts {
  header: Buffer;
  body: Buffer;
}

interface Part {
  header: Buffer;
  block: HeaderBlock;
  body: Buffer;
  /** Empty for a part that is written as it is. */
  children: Part[];
}

class TooManyParts extends Error {}

const DEPTH_MAX = 20;
const PARTS_MAX = 1000;
const CRLF = Buffer.from("\r\n");
const passing = ["content-type", "content-transfer-encoding", "content-disposition", "content-description"];
const fileDates = /;\s*(?:creation|modification|read)-date\s*=\s*"[^"]*"/gi;

/**
 * Gives the same buffers back when the message has one part only, or too many (1,000) or too deep ones to be read.
 * @returns plain form, CRLF lines
 */
export function rewriteParts({ header, body, token, domain }: PartsSource): RewrittenParts {
  const whole = readWhole(header, body);
  if (whole === null || whole.children.length === 0) return { header, body };
  const names = new PartNames(token, domain, whole);
  const boundary = names.newBoundary();
  const others = whole.block.fields.map((field) =>
    field.name === "content-type" ? multipartType(whole, boundary, names) : fieldBytes(header, field),
  );
  return {
    header: Buffer.concat(others.map((text) => Buffer.from(text))),
    body: Buffer.concat(writeChildren(whole, boundary, names)),
  };
}

function readWhole(header: Buffer, body: Buffer): Part | null {
  const room = { parts: PARTS_MAX };
  try {
    return withChildren({ header, block: readHeader(header), body, children: [] }, 0, room);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError || thrown instanceof TooManyParts) return null;
    throw thrown;
  }
}

/** @throws TooManyParts */
function withChildren(part: Part, depth: number, room: { parts: number }): Part {
  const type = typeOf(part);
  if (!/^multipart\/(?!signed\b)/i.test(type)) return part;
  const boundary = parameter(type, "boundary");
  if (boundary === null || boundary === "") return part;
  for (const bytes of splitAt(part.body, boundary)) {
    if (room.parts-- === 0 || depth === DEPTH_MAX) throw new TooManyParts();
    const block = readHeader(bytes);
    const body = bytes.subarray(block.isSeparated ? block.end + 2 : block.end);
    part.children.push(
      withChildren({ header: bytes.subarray(0, block.end), block, body, children: [] }, depth + 1, room),
    );
  }
  return part;
}

function typeOf({ header, block }: Part): string {
  return (firstValue(header, block.fields, "content-type") ?? "").slice(0, 4096);
}

function parameter(type: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(type) ?? [];
  return quoted ?? plain ?? null;
}

/** What lies between the delimiter lines (RFC 2046 §5.1.1); what is before the first and after the last is read by nobody. */
function* splitAt(body: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`, "utf8");
  let start = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (at > 0 && !(body[at - 2] === 0x0d && body[at - 1] === 0x0a)) continue;
    const lineEnd = body.indexOf(CRLF, at);
    const end = lineEnd < 0 ? body.length : lineEnd;
    // A longer boundary that begins the same is another one.
    const [rest] =
      /^(?:--)?[ \t]*$/.exec(body.toString("latin1", at + delimiter.length, Math.min(end, at + 200))) ?? [];
    if (rest === undefined) continue;
    if (start >= 0) yield body.subarray(start, Math.max(start, at - 2));
    if (rest.startsWith("--")) return;
    start = Math.min(end + 2, body.length);
  }
  if (start >= 0) yield body.subarray(start);
}

/** New names for what a mail program named; the same identifier gets the same name all over the message. */
class PartNames {
  readonly #token: string;
  readonly #domain: string;
  readonly #known = new Set<string>();
  #boundaries = 0;

  constructor(token: string, domain: string, whole: Part) {
    this.#token = token;
    this.#domain = domain;
    this.#learn(whole);
  }

  newBoundary(): string {
    return `=_${this.#token}.${++this.#boundaries}`;
  }

  /** @param id without brackets @returns `null` for one that no part of the message has */
  nameOf(id: string): string | null {
    if (!this.#known.has(id)) return null;
    const hash = createHmac("sha256", this.#token).update(id).digest();
    return `${toBase32(hash.subarray(0, 15))}@${this.#domain}`;
  }

  #learn({ children }: Part): void {
    for (const child of children) {
      const id = contentId(child);
      if (id !== null) this.#known.add(id);
      this.#learn(child);
    }
  }
}

function contentId({ header, block }: Part): string | null {
  return /<([^<>]{1,900})>/.exec(firstValue(header, block.fields, "content-id") ?? "")?.[1]?.trim() ?? null;
}

function writeChildren({ children }: Part, boundary: string, names: PartNames): Buffer[] {
  const delimiter = Buffer.from(`--${boundary}\r\n`);
  const parts = children.flatMap((child) => [delimiter, ...writePart(child, names), CRLF]);
  return [...parts, Buffer.from(`--${boundary}--\r\n`)];
}

function writePart(part: Part, names: PartNames): Buffer[] {
  const isMultipart = part.children.length > 0;
  const boundary = isMultipart ? names.newBoundary() : "";
  const html = isMultipart ? null : htmlWithNewIds(part, names);
  const fields = passing.map((name) => {
    if (name === "content-type" && isMultipart) return multipartType(part, boundary, names);
    if (name === "content-transfer-encoding" && html !== null) return "Content-Transfer-Encoding: base64\r\n";
    const field = findField(part.block.fields, name);
    if (field === null) return "";
    const bytes = fieldBytes(part.header, field);
    return name === "content-disposition"
      ? Buffer.from(bytes.toString("latin1").replace(fileDates, ""), "latin1")
      : bytes;
  });
  const id = names.nameOf(contentId(part) ?? "");
  const header = [...fields, id === null ? "" : `Content-ID: <${id}>\r\n`].map((text) => Buffer.from(text));
  const body = isMultipart ? writeChildren(part, boundary, names) : [html ?? part.body];
  return [...header, CRLF, ...body];
}

function multipartType(part: Part, boundary: string, names: PartNames): string {
  const type = typeOf(part);
  const [kind = "multipart/mixed"] = /^multipart\/[a-z0-9.+-]{1,60}/i.exec(type) ?? [];
  const kept = ["type", "report-type", "protocol"].flatMap((name) => {
    const value = parameter(type, name);
    return value !== null && /^[\w./+-]{1,100}$/.test(value) ? [`;\r\n\t${name}="${value}"`] : [];
  });
  const start = names.nameOf((parameter(type, "start") ?? "").replace(/^<|>$/g, ""));
  const root = start === null ? "" : `;\r\n\tstart="<${start}>"`;
  return `Content-Type: ${kind}${kept.join("")}${root};\r\n\tboundary="${boundary}"\r\n`;
}

/** @returns base64 lines; `null` when it points to no part of the message, or is no HTML */
function htmlWithNewIds(part: Part, names: PartNames): Buffer | null {
  if (!/^text\/html\b/i.test(typeOf(part))) return null;
  const encoding = firstValue(part.header, part.block.fields, "content-transfer-encoding") ?? "";
  const html = decoded(part.body, encoding.toLowerCase());
  const written = html.replace(/\bcid:([^"'\s<>()]{1,900})/gi, (all, id: string) => {
    const name = names.nameOf(withoutPercent(id));
    return name === null ? all : `cid:${name}`;
  });
  return written === html ? null : toBase64Lines(Buffer.from(written, "latin1"));
}

/** Bytes as latin1, whatever the charset: identifiers are ASCII. */
function decoded(body: Buffer, encoding: string): string {
  const text = body.toString("latin1");
  if (encoding === "base64") return Buffer.from(text, "base64").toString("latin1");
  return encoding === "quoted-printable" ? decodeQuotedPrintable(text) : text;
}

function withoutPercent(id: string): string {
  return id.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
