/**
 * Rewrites the parts of a message sent as an alias, keeping what determines their display: programs reveal themselves
 * in boundaries, hosts in Content-IDs, time zones in file dates (RFC 2045, 2183, 2392). Signed parts and attached
 * messages stay byte for byte.
 */
import { createHmac } from "node:crypto";
import { fieldBytes } from "../address/address-header.ts";
import { toBase32 } from "../base32.ts";
import { type FieldText, fieldTextBytes, headerField, headerFieldOfLines } from "../header/header-field.ts";
import { findField, firstValue } from "../header/headers.ts";
import { costNs, ParseBudget, ParseLimitError } from "./parse-budget.ts";
import { type MimePart, parameter, readPartTree, typeOf } from "./part-tree.ts";
import { decodeQuotedPrintable, toBase64Lines } from "./transfer-encoding.ts";

export interface PartsSource {
  header: Buffer;
  body: Buffer;
  /** At least 16 random bytes in base32, new for each message; makes boundaries and Content-IDs. */
  token: string;
  domain: string;
}

export interface RewrittenParts {
  header: Buffer;
  body: Buffer;
}

const CRLF = Buffer.from("\r\n");
const KEPT_FIELDS = ["content-type", "content-transfer-encoding", "content-disposition", "content-description"];
const CONTENT_ID_LINK = /\bcid:([^"'\s<>()]{1,900})/gi;
const FILE_DATES = /;\s*(?:creation|modification|read)-date\s*=\s*"[^"]*"/gi;

/** Returns the given buffers for a single part, or when the parts exceed a `ParseBudget`. */
export function rewriteParts(source: PartsSource): RewrittenParts {
  try {
    return rewriteWithin(source, new ParseBudget());
  } catch (thrown) {
    if (thrown instanceof ParseLimitError) return { header: source.header, body: source.body };
    throw thrown;
  }
}

function rewriteWithin({ header, body, token, domain }: PartsSource, budget: ParseBudget): RewrittenParts {
  const whole = readPartTree(header, body, budget);
  if (whole === null || whole.children.length === 0) return { header, body };
  const names = new PartNames({ token, domain, whole, budget });
  const boundary = names.newBoundary();
  const others = whole.block.fields.map((field) =>
    field.name === "content-type" ? fieldTextBytes(multipartType(whole, boundary, names)) : fieldBytes(header, field),
  );
  return {
    header: Buffer.concat(others),
    body: Buffer.concat(writeChildren(whole, boundary, names)),
  };
}

interface PartTree {
  whole: MimePart;
  budget: ParseBudget;
}

/** A Content-ID gets the same new name wherever it occurs. */
class PartNames {
  readonly budget: ParseBudget;
  readonly #token: string;
  readonly #domain: string;
  readonly #names = new Map<string, string>();
  #boundaries = 0;

  constructor({ token, domain, whole, budget }: Pick<PartsSource, "token" | "domain"> & PartTree) {
    this.#token = token;
    this.#domain = domain;
    this.budget = budget;
    this.#learn(whole);
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  newBoundary(): string {
    return `=_${this.#token}.${++this.#boundaries}`;
  }

  nameOf(id: string): string | null {
    return this.#names.get(id) ?? null;
  }

  #learn({ children }: MimePart): void {
    for (const child of children) {
      const id = contentId(child);
      if (id !== null && !this.#names.has(id)) this.#names.set(id, this.#newName(id));
      this.#learn(child);
    }
  }

  #newName(id: string): string {
    const hash = createHmac("sha256", this.#token).update(id).digest();
    return `${toBase32(hash.subarray(0, 15))}@${this.#domain}`;
  }
}

function contentId({ header, block }: MimePart): string | null {
  return /<([^<>]{1,900})>/.exec(firstValue(header, block.fields, "content-id") ?? "")?.[1]?.trim() ?? null;
}

function writeChildren({ children }: MimePart, boundary: string, names: PartNames): Buffer[] {
  const delimiter = Buffer.from(`--${boundary}\r\n`);
  const parts = children.flatMap((child) => [delimiter, ...writePart(child, names), CRLF]);
  return [...parts, Buffer.from(`--${boundary}--\r\n`)];
}

function writePart(part: MimePart, names: PartNames): Buffer[] {
  const isMultipart = part.children.length > 0;
  const boundary = isMultipart ? names.newBoundary() : "";
  const html = isMultipart ? null : htmlWithNewIds(part, names);
  const fields = KEPT_FIELDS.map((name) => {
    if (name === "content-type" && isMultipart) return fieldTextBytes(multipartType(part, boundary, names));
    if (name === "content-transfer-encoding" && html !== null) {
      return fieldTextBytes(headerField("Content-Transfer-Encoding", ["base64"]));
    }
    const field = findField(part.block.fields, name);
    if (field === null) return Buffer.alloc(0);
    const bytes = fieldBytes(part.header, field);
    return name === "content-disposition"
      ? Buffer.from(bytes.toString("latin1").replace(FILE_DATES, ""), "latin1")
      : bytes;
  });
  const id = names.nameOf(contentId(part) ?? "");
  const body = isMultipart ? writeChildren(part, boundary, names) : [html ?? part.body];
  return [...fields, ...(id === null ? [] : [fieldTextBytes(headerField("Content-ID", [`<${id}>`]))]), CRLF, ...body];
}

function multipartType(part: MimePart, boundary: string, names: PartNames): FieldText {
  const type = typeOf(part);
  const [kind = "multipart/mixed"] = /^multipart\/[a-z0-9.+-]{1,60}/i.exec(type) ?? [];
  const kept = ["type", "report-type", "protocol"].flatMap((name) => {
    const value = parameter(type, name);
    return value !== null && /^[\w./+-]{1,100}$/.test(value) ? [`${name}="${value}"`] : [];
  });
  const start = names.nameOf((parameter(type, "start") ?? "").replace(/^<|>$/g, ""));
  const root = start === null ? [] : [`start="<${start}>"`];
  const lines = [kind, ...kept, ...root, `boundary="${boundary}"`];
  return headerFieldOfLines(
    "Content-Type",
    lines.map((line, index) => (index < lines.length - 1 ? `${line};` : line)),
  );
}

/** Replaces Content-IDs in HTML links, as base64 lines; `null` when there are none. @throws ParseLimitError */
function htmlWithNewIds(part: MimePart, names: PartNames): Buffer | null {
  if (names.isEmpty || !/^text\/html\b/i.test(typeOf(part))) return null;
  const encoding = firstValue(part.header, part.block.fields, "content-transfer-encoding") ?? "";
  names.budget.spend(part.body.length * costNs.htmlByte);
  const html = decoded(part.body, encoding.toLowerCase());
  const written = html.replace(CONTENT_ID_LINK, (all, id: string) => {
    names.budget.spend(costNs.htmlLink);
    const name = names.nameOf(withoutPercent(id));
    return name === null ? all : `cid:${name}`;
  });
  return written === html ? null : toBase64Lines(Buffer.from(written, "latin1"));
}

/** Decodes as Latin-1 whatever the charset, because identifiers are ASCII. */
function decoded(body: Buffer, encoding: string): string {
  const text = body.toString("latin1");
  if (encoding === "base64") return Buffer.from(text, "base64").toString("latin1");
  return encoding === "quoted-printable" ? decodeQuotedPrintable(text) : text;
}

function withoutPercent(id: string): string {
  return id.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
