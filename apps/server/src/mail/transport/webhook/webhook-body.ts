/**
 * The JSON a webhook receives for one message: parsed for those who want fields, raw for those who want bytes. A message
 * no parser understands still arrives, raw, with its fields null.
 */
import { addressesOf, BARE_BREAK, fieldBytes, readHeader } from "@kauke/mail-rfc";
import PostalMime, { type Address, type Email, type Mailbox } from "postal-mime";
import type { MessageEnvelope } from "../../../core/message/message.ts";

type AuthResult = "none" | "pass" | "fail" | "softfail" | "neutral" | "policy" | "temperror" | "permerror";

export interface WebhookBodySource {
  /** Of the alias that received it; also the envelope's `to`. */
  aliasAddress: string;
  envelope: Pick<MessageEnvelope, "envelopeFrom" | "receivedAt">;
  /** The message itself, not dot-stuffed. */
  raw: Buffer;
  authentication: { spf: AuthResult; dkim: AuthResult; dmarc: AuthResult; arc: AuthResult };
}

/** @returns UTF-8 JSON as INTERFACE describes; `headers` keep their order and repeats as `{name, value}`. Never throws for what is in the message. */
export async function buildWebhookBody(source: WebhookBodySource): Promise<Buffer> {
  return bodyOf(source, await parse(source.raw));
}

/** The same without looking into the message: cheap whatever it holds. */
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
  // Pieces instead of one string: base64 of the whole message beside non-Latin text would take two bytes a character.
  return Buffer.concat([
    Buffer.from(`${openEnded(head)},"data":${openEnded(data)},"attachments":[`),
    ...attachmentsOf(email),
    Buffer.from('],"raw":"'),
    base64(raw),
    Buffer.from(`","authentication":${JSON.stringify(authentication)}}}`),
  ]);
}

/** An object's JSON without its closing brace. */
function openEnded(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

function base64(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("base64"), "latin1");
}

async function parse(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(asForwarded(raw), { forceRfc822Attachments: true });
  } catch {
    return null;
  }
}

/**
 * The header as it was authenticated and as a mailbox would get it: the parser takes a bare CR or LF for the end of a line, and
 * reads on behind what is no field, so it could name an author nobody looked at.
 */
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
    subject: email?.subject ?? null,
    text: email?.text ?? null,
    html: email?.html ?? null,
  };
}

/** By the reader that the checks on arrival use: `authentication` must tell about the author that is named here. */
function authorOf(raw: Buffer): Pick<Mailbox, "name" | "address"> | null {
  const [author] = addressesOf({ header: raw, fields: readHeader(raw).fields }, "from").mailboxes;
  return author === undefined ? null : { name: author.name ?? "", address: author.address };
}

function mailboxes(addresses: readonly Address[]): Pick<Mailbox, "name" | "address">[] {
  return addresses
    .flatMap((it): Mailbox[] => (it.group === undefined ? [it as Mailbox] : it.group))
    .map(({ name, address }) => ({ name, address }));
}

function attachmentsOf(email: Email | null): Buffer[] {
  return (email?.attachments ?? []).flatMap(({ filename, mimeType, content }, index) => {
    const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
    const meta = openEnded({ filename, contentType: mimeType, size: bytes.length });
    return [Buffer.from(`${index === 0 ? "" : ","}${meta},"content":"`), base64(bytes), Buffer.from('"}')];
  });
}
