/**
 * Headers of attached files (RFC 2183). A name is written as RFC 2231 prescribes, in continuations, and for older
 * programs as encoded words (RFC 2047) in the Content-Type. Contents are base64 lines.
 */
import { encodeWords } from "../header/encoded-word.ts";
import { fieldTextBytes, headerField, headerFieldOfLines } from "../header/header-field.ts";

export interface AttachedFile {
  name: string;
  /** Media type; one that can't be attached as it is becomes `application/octet-stream`. */
  type: string;
}

const TOKEN = "[a-z0-9!#$&^_.+-]{1,100}";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`);
const NAME_MAX = 150;
const UNKNOWN = "application/octet-stream";

/** Composite types can't be base64 (RFC 2045 §6.4). */
export function attachmentType(type: string): string {
  const lower = type.trim().toLowerCase();
  return MEDIA_TYPE.test(lower) && !/^(?:message|multipart)\//.test(lower) ? lower : UNKNOWN;
}

/**
 * A name without directories, control and bidi characters, at most 150 characters with its ending.
 * @example attachmentName("C:\\docs\\a\r\nb.pdf") // "a b.pdf"
 */
export function attachmentName(name: string): string {
  const last =
    name
      .normalize("NFC")
      .toWellFormed()
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== "") ?? "";
  const shown = last
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/[\p{Cf}\u{fffd}]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  const characters = [...shown];
  if (characters.length === 0) return "attachment";
  if (characters.length <= NAME_MAX) return shown;
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(shown)?.[0] ?? "";
  return characters.slice(0, NAME_MAX - ending.length).join("") + ending;
}

/** With the empty line after it. Call with cleaned names and types. */
export function attachmentHeader({ name, type }: AttachedFile): Buffer {
  const isPlain = /^[ -~]{1,60}$/.test(name) && !/["\\]|=\?/.test(name);
  const typed = isPlain ? [`name="${name}"`] : quotedWords(name);
  const fields = [
    headerFieldOfLines("Content-Type", [`${type};`, ...typed]),
    headerField("Content-Transfer-Encoding", ["base64"]),
    headerFieldOfLines("Content-Disposition", ["attachment;", ...(isPlain ? [`filename="${name}"`] : extended(name))]),
  ];
  return Buffer.concat([fieldTextBytes(...fields), Buffer.from("\r\n")]);
}

function quotedWords(name: string): string[] {
  const words = encodeWords(name);
  return words.map((word, at) => `${at === 0 ? 'name="' : ""}${word}${at === words.length - 1 ? '"' : ""}`);
}

const EXTENDED_MAX = 60;

/** RFC 2231 §4.1: percent-encoded UTF-8 in numbered pieces. */
function extended(name: string): string[] {
  const pieces = [""];
  for (const character of name) {
    const octets = [...Buffer.from(character)].map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, "0")}`);
    const text = /^[A-Za-z0-9._-]$/.test(character) ? character : octets.join("");
    const last = pieces.at(-1) ?? "";
    if (last.length + text.length > EXTENDED_MAX) pieces.push(text);
    else pieces[pieces.length - 1] = last + text;
  }
  if (pieces.length === 1) return [`filename*=utf-8''${pieces[0]}`];
  return pieces.map(
    (piece, at) => `filename*${at}*=${at === 0 ? "utf-8''" : ""}${piece}${at < pieces.length - 1 ? ";" : ""}`,
  );
}

const LINE_OCTETS = 57;

/** Encodes a file chunk by chunk to base64 lines of 76 characters, each with its CRLF. */
export class Base64Lines {
  #left: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer {
    const bytes = this.#left.length === 0 ? chunk : Buffer.concat([this.#left, chunk]);
    const whole = bytes.length - (bytes.length % LINE_OCTETS);
    this.#left = Buffer.from(bytes.subarray(whole));
    return linesOf(bytes.subarray(0, whole));
  }

  end(): Buffer {
    return linesOf(this.#left);
  }
}

const CHARACTERS = 76;

function linesOf(bytes: Buffer): Buffer {
  const text = bytes.toString("base64");
  const lines = Buffer.allocUnsafeSlow(text.length + Math.ceil(text.length / CHARACTERS) * 2);
  let at = 0;
  for (let from = 0; from < text.length; from += CHARACTERS) {
    at += lines.write(text.slice(from, from + CHARACTERS), at, "latin1");
    at += lines.write("\r\n", at, "latin1");
  }
  return lines;
}
