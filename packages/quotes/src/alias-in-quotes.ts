/**
 * Replaces the owner's mailbox by the alias in lines that programs write (`find-own-lines.ts`), in text and HTML parts.
 * What is attached, signed or encrypted stays; the leak guard checks for the mailbox later.
 */

import {
  firstValue,
  type MailboxOwner,
  type MimePart,
  OwnAddresses,
  type PartPlace,
  parameter,
  readPartTree,
  typeOf,
} from "@kauke/mail-rfc";
import { readEditableText } from "./editable-text.ts";
import { findAnswerLines, findOwnLines, type OwnLines, withAnswerMetas } from "./find-own-lines.ts";
import { htmlLines, type QuoteLines, textLines } from "./quote-lines.ts";

export interface QuotingMessage {
  header: Buffer;
  body: Buffer;
}

export interface AliasInQuotes {
  body: Buffer;
  places: PartPlace[];
}

/** Maximum bytes of text parts processed in one turn of the event loop; further ones stay. */
export const QUOTE_BYTES_MAX = 1_048_576;
const PROTECTED = /-----BEGIN (?:PGP |PKCS7|CMS|CERTIFICATE)/;

/** Changes the lines around quotes; the same body when nothing changes. Never throws on input from the mail program. */
export function withAliasInQuotes(message: QuotingMessage, owner: MailboxOwner): AliasInQuotes {
  return withAliasInLines(message, owner, ({ text, lines }, own) => findOwnLines(text, lines, own));
}

/** Changes the lines that a calendar program wrote in an answer to an invitation. */
export function withAliasInAnswer(message: QuotingMessage, owner: MailboxOwner): AliasInQuotes {
  return withAliasInLines(message, owner, ({ text, lines, kind }, own) => {
    const found = findAnswerLines(text, lines, own);
    return kind === "html" ? withAnswerMetas(text, found, own) : found;
  });
}

interface ReadText {
  text: string;
  lines: QuoteLines;
  kind: "text" | "html";
}

type FindLines = (read: ReadText, own: OwnAddresses) => OwnLines;

function withAliasInLines({ header, body }: QuotingMessage, owner: MailboxOwner, find: FindLines): AliasInQuotes {
  const whole = readPartTree(header, body);
  const own = new OwnAddresses(owner);
  const pieces: Buffer[] = [];
  const places: PartPlace[] = [];
  let at = 0;
  let left = QUOTE_BYTES_MAX;
  for (const text of whole === null ? [] : textsOf(whole, "")) {
    left -= text.part.body.length;
    const changed = left < 0 ? null : changeText(text, { own, aliasAddress: owner.aliasAddress, find });
    if (changed === null) continue;
    const start = text.part.body.byteOffset - body.byteOffset;
    pieces.push(body.subarray(at, start), changed.body);
    at = start + text.part.body.length;
    places.push(...changed.places);
  }
  return places.length === 0 ? { body, places } : { body: Buffer.concat([...pieces, body.subarray(at)]), places };
}

interface TextPart {
  part: MimePart;
  kind: "text" | "html";
  /** Number of the part as IMAP assigns it (RFC 3501 §6.4.5). */
  number: string;
}

/** Yields text parts that are displayed inline, not signed or encrypted, in the order of the body. */
function* textsOf(part: MimePart, number: string): Generator<TextPart> {
  const type = typeOf(part).trim().toLowerCase();
  if (/^multipart\/(?:signed|encrypted)\b/.test(type)) return;
  for (const [index, child] of part.children.entries()) {
    yield* textsOf(child, `${number === "" ? "" : `${number}.`}${index + 1}`);
  }
  const [, subtype] = type === "" ? [type, "plain"] : (/^text\/(plain|html)(?![\w.+-])/.exec(type) ?? []);
  if (subtype === undefined || part.children.length > 0 || isAttached(part)) return;
  yield { part, kind: subtype === "html" ? "html" : "text", number: number === "" ? "1" : number };
}

function isAttached({ header, block }: MimePart): boolean {
  return /^\s*attachment\b/i.test(firstValue(header, block.fields, "content-disposition") ?? "");
}

interface TextChange {
  own: OwnAddresses;
  aliasAddress: string;
  find: FindLines;
}

function changeText({ part, kind, number }: TextPart, { own, aliasAddress, find }: TextChange): AliasInQuotes | null {
  const { header, block, body } = part;
  const encoding = (firstValue(header, block.fields, "content-transfer-encoding") ?? "").trim().toLowerCase();
  const charset = (parameter(typeOf(part), "charset") ?? "").trim().toLowerCase();
  const editable = readEditableText({ body, encoding, charset });
  if (editable === null || own.find(editable.text).next().done === true || PROTECTED.test(editable.text)) return null;
  const lines = kind === "html" ? htmlLines(editable.text) : textLines(editable.text);
  if (lines === null) return null;
  const { spans, lineNumbers } = find({ text: editable.text, lines, kind }, own);
  const changed = spans.length === 0 ? null : editable.replace(spans, aliasAddress);
  if (changed === null) return null;
  return { body: changed, places: lineNumbers.map((line) => ({ part: number, kind, line })) };
}
