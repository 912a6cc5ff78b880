/** Parameters after a path: SIZE, BODY, SMTPUTF8, AUTH, DSN. The server decides which it offers. */
import { MailSyntaxError } from "./mail-syntax-error.ts";

export interface EsmtpParams {
  /** Declared size in octets; the largest safe number above 2^53. */
  size?: number;
  body?: "7BIT" | "8BITMIME" | "BINARYMIME";
  smtpUtf8: boolean;
  ret?: "FULL" | "HDRS";
  envid?: string;
  auth?: string;
  notify?: readonly ("NEVER" | "SUCCESS" | "FAILURE" | "DELAY")[];
  /** Original recipient, decoded, with its type in lower case. */
  orcpt?: { type: string; address: string };
  /** Unknown keywords in upper case; the reply to them is 555 5.5.4. */
  unknown: string[];
}

const BODIES = ["7BIT", "8BITMIME", "BINARYMIME"] as const;
const RETS = ["FULL", "HDRS"] as const;
const NOTIFIES = ["NEVER", "SUCCESS", "FAILURE", "DELAY"] as const;

type Reader = (value: string | null, into: EsmtpParams) => void;

const readers: Record<"MAIL" | "RCPT", ReadonlyMap<string, Reader>> = {
  MAIL: new Map<string, Reader>([
    ["SIZE", (value, into) => (into.size = readSize(value))],
    ["BODY", (value, into) => (into.body = readWord(value, BODIES))],
    ["SMTPUTF8", (value, into) => (into.smtpUtf8 = readFlag(value))],
    ["RET", (value, into) => (into.ret = readWord(value, RETS))],
    ["ENVID", (value, into) => (into.envid = readXtext(value, 100))],
    ["AUTH", (value, into) => (into.auth = value === "<>" ? "" : readXtext(value, 500))],
  ]),
  RCPT: new Map<string, Reader>([
    ["NOTIFY", (value, into) => (into.notify = readNotify(value))],
    ["ORCPT", (value, into) => (into.orcpt = readOrcpt(value))],
  ]),
};

const KEYWORD = /^[A-Za-z0-9][A-Za-z0-9-]*$/;
// RFC 5321 §4.1.2, RFC 6531 §3.3, and "=", which real clients send.
const VALUE = /^[!-~\u{a0}-\u{fffc}\u{10000}-\u{10ffff}]+$/u;

/** @throws MailSyntaxError `parameter_syntax`, `parameter_repeated`, `parameter_value` */
export function parseEsmtpParams(text: string, command: "MAIL" | "RCPT"): EsmtpParams {
  const params: EsmtpParams = { smtpUtf8: false, unknown: [] };
  const seen = new Set<string>();
  for (const item of text.split(" ")) {
    if (item === "") continue;
    const { keyword, value } = splitItem(item);
    if (seen.has(keyword)) throw new MailSyntaxError("parameter_repeated");
    seen.add(keyword);
    const read = readers[command].get(keyword);
    if (read) read(value, params);
    else params.unknown.push(keyword);
  }
  return params;
}

function splitItem(item: string): { keyword: string; value: string | null } {
  const equals = item.indexOf("=");
  const keyword = equals < 0 ? item : item.slice(0, equals);
  const value = equals < 0 ? null : item.slice(equals + 1);
  if (!KEYWORD.test(keyword) || (value !== null && !VALUE.test(value))) throw new MailSyntaxError("parameter_syntax");
  return { keyword: keyword.toUpperCase(), value };
}

function readSize(value: string | null): number {
  if (value === null || !/^\d{1,20}$/.test(value)) throw new MailSyntaxError("parameter_value");
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

function readFlag(value: string | null): boolean {
  if (value !== null) throw new MailSyntaxError("parameter_value");
  return true;
}

function readWord<T extends string>(value: string | null, words: readonly T[]): T {
  const found = words.find((word) => word === value?.toUpperCase());
  if (!found) throw new MailSyntaxError("parameter_value");
  return found;
}

/** Decodes xtext (RFC 3461 §4). */
function readXtext(value: string | null, maxLength: number): string {
  if (value === null || value.length > maxLength || !/^(?:[!-*,-~]|\+[0-9A-F]{2})*$/.test(value))
    throw new MailSyntaxError("parameter_value");
  return value.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function readNotify(value: string | null): NonNullable<EsmtpParams["notify"]> {
  const words = (value ?? "").split(",").map((word) => readWord(word, NOTIFIES));
  if (new Set(words).size !== words.length || (words.includes("NEVER") && words.length > 1))
    throw new MailSyntaxError("parameter_value");
  return words;
}

function readOrcpt(value: string | null): { type: string; address: string } {
  const [, type, address] = /^([A-Za-z0-9][A-Za-z0-9-]*);(.+)$/u.exec(value ?? "") ?? [];
  if (type === undefined || address === undefined) throw new MailSyntaxError("parameter_value");
  // utf-8 has its own encoding (RFC 6533 §3) and is stored as sent.
  if (type.toLowerCase() === "utf-8" && address.length <= 500) return { type: "utf-8", address };
  return { type: type.toLowerCase(), address: readXtext(address, 500) };
}
