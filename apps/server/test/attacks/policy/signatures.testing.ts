/**
 * DKIM signatures and ARC sets made by hand, so that every tag can hold what an attacker writes into it. Fields are in
 * relaxed form, bodies in simple form. Texts have one character per byte.
 */
import { createHash, type KeyObject, sign } from "node:crypto";
import { relaxedField } from "@kauke/mail-rfc";

export interface SignatureTags {
  d: string;
  s: string;
  /** Names of the signed fields, from the topmost; each occurs in the message. */
  h?: string;
  /** Further tags as written, e.g. `t=1700000000; l=5`. */
  more?: string;
}

/** @returns a DKIM-Signature for the top of a message */
export function dkimField(message: string, key: KeyObject, tags: SignatureTags): string {
  return signatureField("DKIM-Signature: v=1; ", message, key, tags);
}

export interface ArcForgery {
  /** Value of the authentication results without the instance. */
  results: string;
  message: SignatureTags;
  seal: Omit<SignatureTags, "h">;
}

/** @returns the three fields of a first ARC set for the top of a message */
export function arcFields(message: string, key: KeyObject, { results, message: signature, seal }: ArcForgery): string {
  const aar = `ARC-Authentication-Results: i=1; ${results}\r\n`;
  const ams = signatureField("ARC-Message-Signature: i=1; ", message, key, signature);
  const { d, s, more = "" } = seal;
  const start = `ARC-Seal: i=1; cv=none; a=rsa-sha256; ${more === "" ? "" : `${more}; `}d=${d}; s=${s}; b=`;
  const input = [aar, ams].map((field) => `${relaxedField(field)}\r\n`).join("") + relaxedField(start);
  return `${start}${signed(input, key)}\r\n${ams}${aar}`;
}

function signatureField(start: string, message: string, key: KeyObject, tags: SignatureTags): string {
  const { d, s, h = "from", more = "" } = tags;
  const end = message.indexOf("\r\n\r\n");
  const [fields, body] = [message.slice(0, end).split("\r\n"), message.slice(end + 4)];
  const length = /(?:^|; )l=(\d+)/.exec(more)?.[1];
  const hashed = length === undefined ? body : body.slice(0, Number(length));
  const hash = createHash("sha256").update(Buffer.from(hashed, "latin1")).digest("base64");
  const c = "a=rsa-sha256; c=relaxed/simple";
  const field = `${start}${c}; ${more === "" ? "" : `${more}; `}d=${d}; s=${s}; h=${h}; bh=${hash}; b=`;
  const left = [...fields];
  const covered = h.split(":").flatMap((name) => {
    const at = left.findLastIndex((it) => it.toLowerCase().startsWith(`${name.trim().toLowerCase()}:`));
    return at < 0 ? [] : left.splice(at, 1);
  });
  return `${field}${signed([...covered.map((it) => `${it}\r\n`), field].map(relaxedField).join("\r\n"), key)}\r\n`;
}

function signed(text: string, key: KeyObject): string {
  return sign("sha256", Buffer.from(text, "latin1"), key).toString("base64");
}
