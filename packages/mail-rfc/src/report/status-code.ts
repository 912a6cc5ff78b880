/** SMTP replies (RFC 5321 §4.2, RFC 3463), whose text can contain addresses and must not leave the process. */
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface ReplyLine {
  code: number;
  hasMore: boolean;
  text: string;
}

export interface ServerReply {
  code: number;
  /** Enhanced status; `null` when there is none or its class differs from the reply code. */
  enhancedStatus: string | null;
  lines: string[];
}

const LINE = /^([2-5][0-9]{2})(?:([ -])(.*))?$/s;
const ENHANCED = /^([245])\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})(?=$|[ \t])/;

/** `250-SIZE 1000` → `{ code: 250, hasMore: true, text: "SIZE 1000" }`. @throws MailSyntaxError `reply_syntax` */
export function parseReplyLine(line: string): ReplyLine {
  const [, code, mark, text = ""] = LINE.exec(line) ?? [];
  if (code === undefined) throw new MailSyntaxError("reply_syntax");
  return { code: Number(code), hasMore: mark === "-", text };
}

/** @throws MailSyntaxError `reply_syntax` when it is incomplete, continues after its end, or changes its code */
export function parseReply(text: string): ServerReply {
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map(parseReplyLine);
  const code = lines[0]?.code ?? 0;
  const isWhole = lines.every((line, index) => line.code === code && line.hasMore === index < lines.length - 1);
  if (!isWhole) throw new MailSyntaxError("reply_syntax");
  const enhancedStatus = parseEnhancedStatus(lines.at(-1)?.text ?? "", code);
  const texts = lines.map((line) =>
    enhancedStatus === null ? line.text : line.text.replace(ENHANCED, "").trimStart(),
  );
  return { code, enhancedStatus, lines: texts };
}

/** @param code reply code; a status of another class is ignored (RFC 2034 §4) */
export function parseEnhancedStatus(text: string, code?: number): string | null {
  const [status, statusClass] = ENHANCED.exec(text) ?? [];
  if (status === undefined || (code !== undefined && Number(statusClass) !== Math.floor(code / 100))) return null;
  return status;
}

/** Meaning of a reply code for a client (RFC 5321 §4.2.1). */
export function replyClass(code: number): "done" | "more" | "transient" | "permanent" {
  if (code < 300) return "done";
  if (code < 400) return "more";
  return code < 500 ? "transient" : "permanent";
}
