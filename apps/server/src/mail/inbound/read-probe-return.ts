/** Reads a message that may be the operator's answer to ours, and the header of ours that it carries. */
import {
  decodeEncodedWords,
  decodeTransfer,
  firstValue,
  type MimePart,
  ParseBudget,
  partFieldsOf,
  readHeader,
  readPartTree,
  typeOf,
} from "@kauke/mail-rfc";
import { type HeaderJudgement, judgeHeader } from "../../core/probe/judge-header.ts";
import type { MailProbe } from "../../core/probe/probe.ts";
import { answerSubject } from "../../core/probe/probe-answer.ts";
import { bounds } from "../../limits/table.ts";

const EVERY_MULTIPART = /^multipart\//i;
const HEADER_TYPES: ReadonlySet<string> = new Set(["message/rfc822", "message/global", "text/rfc822-headers"]);
const { parts: PARTS_MAX, partBytes: PART_BYTES_MAX } = bounds.mailProbes;
const SUBJECT_MAX = 1000;

/**
 * An answer is recognised by our Message-ID, or by our subject where a relay has replaced the Message-ID.
 * @param raw without dot-stuffing
 * @returns `null` when it is no answer to ours
 */
export function readProbeReturn(raw: Buffer, { address, answerId }: MailProbe): HeaderJudgement | null {
  const domain = address.slice(address.indexOf("@") + 1);
  const { fields, end } = readHeader(raw);
  const valueOf = (name: string) => firstValue(raw, fields, name) ?? "";
  const subject = decodeEncodedWords(valueOf("subject").slice(0, SUBJECT_MAX));
  const texts = textsOf(raw, end);
  const named = [valueOf("in-reply-to"), valueOf("references"), ...texts];
  if (!subject.includes(answerSubject) && !named.some((text) => text.includes(answerId))) return null;
  const judgements = texts.map((text) => judgeHeader(text, domain));
  const found = judgements.find(({ ours }) => ours !== null) ?? judgements.find(({ inSpam }) => inSpam !== null);
  return found ?? { ours: null, inSpam: null };
}

/** Attached headers, then texts that may quote one; each only to a bound. Empty beyond the limits of MIME parsing. */
function textsOf(raw: Buffer, end: number): string[] {
  const body = raw.subarray(Math.min(raw.length, end + 2));
  const root = readPartTree(raw.subarray(0, end), body, new ParseBudget(), EVERY_MULTIPART);
  const leaves = (root === null ? [] : leavesOf(root)).map((part) => ({ part, type: mediaType(part) }));
  const attached = leaves.filter(({ type }) => HEADER_TYPES.has(type));
  const written = leaves.filter(({ type }) => type === "text/plain" || type === "text/html");
  return [...attached, ...written]
    .slice(0, PARTS_MAX)
    .map(({ part, type }) => (type === "text/html" ? plainText(decoded(part)) : decoded(part)));
}

function leavesOf(part: MimePart): MimePart[] {
  return part.children.length === 0 ? [part] : part.children.flatMap(leavesOf);
}

const mediaType = (part: MimePart) => typeOf(part).split(";", 1)[0]?.trim().toLowerCase() || "text/plain";

function decoded({ header, block, body }: MimePart): string {
  const written = (firstValue(header, block.fields, "content-transfer-encoding") ?? "").slice(0, SUBJECT_MAX);
  const { encoding } = partFieldsOf(new Map([["content-transfer-encoding", written]]));
  return decodeTransfer(body.subarray(0, PART_BYTES_MAX), encoding).toString("utf8");
}

const LINE_TAG = /^(?:br|p|div|tr|pre|li|blockquote)\b/i;
const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&nbsp;": " " };

/** The text of HTML, in linear time: what a mail program makes of a header that was pasted into a message. */
function plainText(html: string): string {
  const pieces = html.split("<").map((piece, index) => {
    const close = index === 0 ? -1 : piece.indexOf(">");
    return (LINE_TAG.test(piece) && close >= 0 ? "\n" : "") + piece.slice(close + 1);
  });
  const text = pieces.join("").replace(/&(?:lt|gt|amp|quot|nbsp);/g, (entity) => entities[entity] ?? entity);
  // Blank lines mean nothing in HTML, but would end a header.
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return lines.join("\n");
}
