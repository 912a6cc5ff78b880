import { setImmediate as nextTurn } from "node:timers/promises";
import {
  addressesOf,
  BARE_BREAK,
  decodeEncodedWords,
  fieldBytes,
  readHeader,
  withReadableParts,
} from "@kauke/mail-rfc";
import PostalMime, { type Address, type Email, type Mailbox } from "postal-mime";
import type { MessageEnvelope } from "../../../core/message/message.ts";

type AuthResult = "none" | "pass" | "fail" | "softfail" | "neutral" | "policy" | "temperror" | "permerror";

export interface WebhookBodySource {
  aliasAddress: string;
  envelope: Pick<MessageEnvelope, "envelopeFrom" | "receivedAt">;
  raw: Buffer;
  authentication: { spf: AuthResult; dkim: AuthResult; dmarc: AuthResult; arc: AuthResult };
}

const CALENDAR = /^(?:text\/calendar|application\/ics)$/;

/** @returns UTF-8 JSON; `headers` in order, with repetitions. Never throws because of the content */
export async function buildWebhookBody(source: WebhookBodySource): Promise<Buffer> {
  return bodyOf(source, await parse(source.raw));
}

export function buildRawWebhookBody(source: WebhookBodySource): Buffer {
  return bodyOf(source, null);
}

function bodyOf({ aliasAddress, envelope, raw, authentication }: WebhookBodySource, email: Email | null): Buffer {
  const head = { type: "email.received", timestamp: envelope.receivedAt.toISOString() };
  const data = {
    alias: aliasAddress,
    envelope: { from: envelope.envelopeFrom, to: aliasAddress },
    ...fieldsOf(email, raw),
  };
  // Joined from Buffers: one string of base64 and non-Latin text would take two bytes per character.
  return Buffer.concat([
    Buffer.from(`${openEnded(head)},"data":${openEnded(data)},"attachments":[`),
    ...attachmentsOf(email),
    Buffer.from('],"raw":"'),
    base64(raw),
    Buffer.from(`","authentication":${JSON.stringify(authentication)}}}`),
  ]);
}

function openEnded(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

function base64(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("base64"), "latin1");
}

async function parse(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(withReadableParts(asForwarded(raw)), { forceRfc822Attachments: true });
  } catch {
    return null;
  }
}

/** The parser accepts bare CR or LF and non-fields, and so could name an author that was never authenticated. */
function asForwarded(raw: Buffer): Buffer {
  const { fields, end, isSeparated } = readHeader(raw);
  if (isSeparated && !BARE_BREAK.test(raw.toString("latin1", 0, end))) return raw;
  const separator = isSeparated ? [] : [Buffer.from("\r\n")];
  return Buffer.concat([...fields.map((field) => fieldBytes(raw, field)), ...separator, raw.subarray(end)]);
}

function fieldsOf(email: Email | null, raw: Buffer) {
  return {
    headers: email?.headers.map(({ originalKey, value }) => ({ name: originalKey, value })) ?? [],
    messageId: email?.messageId ?? null,
    from: email === null ? null : authorOf(raw),
    to: mailboxes(email?.to ?? []),
    subject: subjectOf(email),
    text: email?.text ?? null,
    html: email?.html ?? null,
  };
}

function subjectOf(email: Email | null): string | null {
  const value = email?.headers.find(({ key }) => key === "subject")?.value ?? "";
  return value === "" ? null : decodeEncodedWords(value);
}

/** The author by the same parser as on arrival, so that `authentication` is about this author. */
function authorOf(raw: Buffer): Pick<Mailbox, "name" | "address"> | null {
  const [author] = addressesOf({ header: raw, fields: readHeader(raw).fields }, "from").mailboxes;
  return author === undefined ? null : { name: author.name ?? "", address: author.address };
}

function mailboxes(addresses: readonly Address[]): Pick<Mailbox, "name" | "address">[] {
  return addresses
    .flatMap((entry): Mailbox[] => (entry.group === undefined ? [entry as Mailbox] : entry.group))
    .map(({ name, address }) => ({ name, address }));
}

function attachmentsOf(email: Email | null): Buffer[] {
  return (email?.attachments ?? []).flatMap(({ filename, mimeType, content }, index) => {
    const parsed = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
    const bytes = CALENDAR.test(mimeType) ? withCrlf(parsed) : parsed;
    const meta = openEnded({ filename, contentType: mimeType, size: bytes.length });
    return [Buffer.from(`${index === 0 ? "" : ","}${meta},"content":"`), base64(bytes), Buffer.from('"}')];
  });
}

/** Restores CRLF in a calendar (RFC 5545 §3.1), which the parser turned into bare line feeds. */
function withCrlf(calendar: Buffer): Buffer {
  return Buffer.from(calendar.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

/** Bytes per slice, a multiple of three, so that the base64 of the slices joins to that of the whole. */
const SLICE_BYTES = 3 * 256 * 1024;

export interface EncryptedBodySource extends Pick<WebhookBodySource, "aliasAddress" | "authentication"> {
  receivedAt: Date;
  raw: Buffer;
}

/** Fields about the content are empty; `raw` is the armored age file, written in slices, since it can have 60 MiB. */
export async function encryptedWebhookBody(source: EncryptedBodySource): Promise<Buffer> {
  const { aliasAddress: alias, receivedAt, raw, authentication } = source;
  const nothing = { headers: [], messageId: null, from: null, to: [], subject: null, text: null, html: null };
  const data = { alias, sealed: true, envelope: { from: null, to: alias }, ...nothing, attachments: [] };
  const head = { type: "email.received", timestamp: receivedAt.toISOString() };
  const opening = `${openEnded(head)},"data":${openEnded(data)},"raw":"`;
  const closing = `","authentication":${JSON.stringify(authentication)}}}`;
  const json = Buffer.allocUnsafeSlow(opening.length + Math.ceil(raw.length / 3) * 4 + closing.length);
  let at = json.write(opening, "latin1");
  for (let from = 0; from < raw.length; from += SLICE_BYTES) {
    if (from > 0) await nextTurn();
    at += json.write(raw.toString("base64", from, from + SLICE_BYTES), at, "latin1");
  }
  at += json.write(closing, at, "latin1");
  return json.subarray(0, at);
}
