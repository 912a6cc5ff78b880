/** Signs with DKIM (RFC 6376, RFC 8463), relaxed/simple. Keys are `KeyObject`s, so that they are parsed once. */
import { createHash, type KeyObject, sign } from "node:crypto";
import { type FieldText, headerFieldOfLines, joinFields } from "../header/header-field.ts";
import type { HeaderField } from "../header/headers.ts";
import { relaxedField } from "./dkim-canonical.ts";

const SIGNATURE_COLUMNS = 70;
const ASCII = /^[\0-\x7f]*$/;

export interface DkimKey {
  domain: string;
  selector: string;
  algorithm: "rsa-sha256" | "ed25519-sha256";
  privateKey: KeyObject;
}

export interface DkimSource {
  header: Buffer;
  fields: readonly HeaderField[];
  bodyHash: Buffer;
  /** Time of signing, written in seconds (`t=`). */
  signedAt: Date;
}

/** Fields that are signed wherever present (RFC 6376 §5.4.1, RFC 8058 §4). */
const signedNames = new Set([
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "subject",
  "date",
  "message-id",
  "in-reply-to",
  "references",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "content-id",
  "content-description",
  "list-id",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "list-help",
  "list-archive",
  "autocrypt",
]);

export async function dkimSign(source: DkimSource, keys: readonly DkimKey[]): Promise<FieldText> {
  const bodyHash = source.bodyHash.toString("base64");
  const { names, input } = signedFields(source);
  const toSign = { names, input, bodyHash, signedAt: source.signedAt };
  const [key] = keys;
  if (key !== undefined && keys.length === 1) return signWith(key, toSign);
  return joinFields(await Promise.all(keys.map((one) => signWith(one, toSign))));
}

interface ToSign {
  names: readonly string[];
  input: string;
  bodyHash: string;
  signedAt: Date;
}

/** Every instance, the lowest first (§5.4.2); `from` once more, so that adding another breaks the signature. */
export function signedFields({ header, fields }: DkimSource): { names: string[]; input: string } {
  const text = header.toString("latin1");
  const names: string[] = [];
  let input = "";
  for (const { name, start, end } of fields.toReversed()) {
    if (!signedNames.has(name)) continue;
    names.push(name);
    input += `${relaxedField(text.slice(start, end))}\r\n`;
  }
  names.push("from");
  return { names, input };
}

function signWith(key: DkimKey, { names, input, bodyHash, signedAt }: ToSign): Promise<FieldText> {
  const lines = [
    `v=1; a=${key.algorithm}; c=relaxed/simple; d=${key.domain}; s=${key.selector};`,
    `t=${Math.floor(signedAt.getTime() / 1000)}; bh=${bodyHash};`,
    ...foldNames(names),
  ];
  return signedField("DKIM-Signature", { lines, input }, key);
}

/**
 * Signs the input together with the field itself (§3.7).
 * @param content `lines` before `b=`; `input`: canonical fields with their CRLF, one character per byte
 */
export async function signedField(
  name: string,
  { lines, input }: { lines: readonly string[]; input: string },
  key: DkimKey,
): Promise<FieldText> {
  const signature = await signInPool(key, `${input}${relaxedUnsigned(name, lines)}`);
  return headerFieldOfLines(name, [...lines, ...foldSignature(signature)]);
}

/** The field with an empty `b=` in relaxed canonicalization (§3.4.2). */
function relaxedUnsigned(name: string, lines: readonly string[]): string {
  let text = `${name.toLowerCase()}:`;
  for (const line of lines) text += `${line.trimStart()} `;
  return ASCII.test(text) ? `${text}b=` : Buffer.from(`${text}b=`).toString("latin1");
}

function foldSignature(signature: Buffer): string[] {
  const text = signature.toString("base64");
  const lines = [`b=${text.slice(0, SIGNATURE_COLUMNS)}`];
  for (let at = SIGNATURE_COLUMNS; at < text.length; at += SIGNATURE_COLUMNS) {
    lines.push(` ${text.slice(at, at + SIGNATURE_COLUMNS)}`);
  }
  return lines;
}

export function foldNames(names: readonly string[]): string[] {
  const lines: string[] = [];
  let line = "h=";
  for (const name of names) {
    if (line.length + name.length + 1 > 75) {
      lines.push(line);
      line = " ";
    }
    line += `${name}:`;
  }
  lines.push(`${line.slice(0, -1)};`);
  return lines;
}

/** Signs in the thread pool of libuv, which file reads share. */
function signInPool(key: DkimKey, text: string): Promise<Buffer> {
  const [digest, input] = digestAndInput(key, Buffer.from(text, "latin1"));
  const { privateKey } = key;
  return new Promise((resolve, reject) => {
    sign(digest, input, privateKey, (error, signature) => (error === null ? resolve(signature) : reject(error)));
  });
}

/** Digest and input of a signature; Ed25519 signs the SHA-256 of the data (RFC 8463 §3). */
function digestAndInput({ algorithm }: DkimKey, data: Buffer): ["sha256" | null, Buffer] {
  return algorithm === "rsa-sha256" ? ["sha256", data] : [null, createHash("sha256").update(data).digest()];
}
