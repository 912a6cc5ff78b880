/** Messages that the server itself writes: from its first domain, as text and HTML, marked as automatic. */

import { createHash } from "node:crypto";
import { product } from "@kauke/contract";
import {
  fieldTextBytes,
  formatAddressField,
  formatDate,
  headerField,
  joinFields,
  makeMessageId,
  parseAddress,
  stuff,
  toBase32,
} from "@kauke/mail-rfc";
import type { Clock, Random } from "../runtime/ports.ts";
import type { DeliveryStore, DeliveryTarget } from "./delivery/delivery.ts";
import { untaggedMailbox } from "./destination/same-mailbox.ts";
import { enqueueMessage, type MessageBodies } from "./message/message.ts";

export interface OwnMailSettings {
  origin: string;
  domain: string;
}

export interface OwnMessageHead {
  from: string;
  /** Recipient in any spelling; the To field omits a plus tag. */
  mailbox: string;
  messageId: string;
  boundary: string;
  at: Date;
}

export interface OwnLink {
  label: string;
  url: string;
}

/** Paragraphs of ASCII lines, inserted into HTML unescaped; a block may also be a single link. */
export interface OwnMessageText {
  subject: string;
  blocks: readonly (string | OwnLink | readonly string[])[];
}

/** @returns CRLF lines, not dot-stuffed @throws MailSyntaxError for a mailbox that can't stand in a header field */
export function ownMessage(head: OwnMessageHead, text: OwnMessageText): Buffer {
  const { from, boundary } = head;
  const header = fieldTextBytes(
    headerField("Date", [formatDate(head.at)]),
    formatAddressField("From", [{ name: product.name, address: from }]),
    headerField("To", [parseAddress(untaggedMailbox(head.mailbox)).canonical]),
    headerField("Subject", text.subject.split(" ")),
    headerField("Message-ID", [head.messageId]),
    // Against automatic replies: Auto-Submitted (RFC 3834), and X-Auto-Response-Suppress for Exchange.
    headerField("Auto-Submitted", ["auto-generated"]),
    headerField("X-Auto-Response-Suppress", ["All"]),
    headerField("MIME-Version", ["1.0"]),
    headerField("Content-Type", [`multipart/alternative; boundary="${boundary}"`]),
  );
  const lines = [
    "",
    ...part(boundary, "text/plain", text.blocks.flatMap(plainLines)),
    ...part(boundary, "text/html", ownHtml(text.subject, text.blocks.flatMap(htmlParagraphs))),
    `--${boundary}--`,
    "",
  ];
  return Buffer.concat([header, Buffer.from(lines.join("\r\n"), "utf8")]);
}

function plainLines(block: OwnMessageText["blocks"][number]): readonly string[] {
  if (typeof block === "string") return [block, ""];
  return "url" in block ? [`${block.label}:`, block.url, ""] : block;
}

function htmlParagraphs(block: OwnMessageText["blocks"][number]): string | readonly string[] {
  return typeof block === "object" && "url" in block ? `<a href="${block.url}">${block.label}</a>` : block;
}

function part(boundary: string, type: string, lines: readonly string[]): string[] {
  const head = joinFields([
    headerField("Content-Type", [`${type}; charset=us-ascii`]),
    headerField("Content-Transfer-Encoding", ["7bit"]),
  ]);
  return [`--${boundary}`, head, ...lines];
}

const onlyLink = /^<a href="[^"]*">[^<]*<\/a>$/;

/** Mail programs without media queries show the light form. */
const style = [
  ":root{color-scheme:light dark;supported-color-schemes:light dark}",
  "body{margin:0;padding:32px 16px;background:#f6f7f7;color:#3a4046;font:16px/1.5 system-ui,-apple-system,Segoe UI,sans-serif}",
  ".sheet{max-width:34rem;margin:0 auto;padding:24px 28px;background:#ffffff;border:1px solid #e2e5e7;border-radius:10px}",
  ".brand{margin:0 0 20px;color:#121417;font-weight:700;letter-spacing:-.02em}",
  ".brand span{display:inline-block;width:18px;height:9px;margin-right:8px;background:#ffb000;border-radius:2px}",
  "h1{margin:0 0 16px;color:#121417;font-size:20px;line-height:1.3}",
  "p{margin:0 0 16px}",
  "a{color:#8a5000}",
  ".do a{display:inline-block;padding:10px 18px;background:#ffb000;border-radius:6px}",
  ".do a{color:#1a1200;font-weight:600;text-decoration:none}",
  "@media (prefers-color-scheme:dark){",
  "body{background:#0b0c0d;color:#c6cacd}",
  ".sheet{background:#111314;border-color:#222629}",
  ".brand,h1{color:#f1f2f3}",
  "a{color:#ffb92e}",
  ".do a{color:#1a1200}",
  "}",
];

/** HTML without images or foreign URLs. @param paragraphs inserted unescaped: only our own sentences and links */
export function ownHtml(subject: string, paragraphs: readonly string[]): string[] {
  const main = paragraphs.findIndex((paragraph) => onlyLink.test(paragraph));
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${subject}</title><style>`,
    ...style,
    '</style></head><body><div class="sheet">',
    `<p class="brand"><span></span>${product.name}</p>`,
    `<h1>${subject}</h1>`,
    ...paragraphs.map((one, index) => (index === main ? `<p class="do">${one}</p>` : `<p>${one}</p>`)),
    "</div></body></html>",
  ];
}

export function newLinkToken(random: Random): string {
  return toBase32(random.bytes(20)).toLowerCase();
}

/** @param token already validated against the contract's pattern */
export function hashLinkToken(token: string): Buffer {
  return createHash("sha256").update(token, "latin1").digest();
}

export interface QueueDeps {
  deliveries: Pick<DeliveryStore, "enqueue">;
  bodies: Pick<MessageBodies, "put" | "delete">;
  clock: Clock;
  random: Random;
}

export interface OwnMail {
  /** `null` for mail to nobody's account. */
  userId: string | null;
  address: string;
  /** Author and envelope sender; no-reply@ of the domain by default. */
  from?: string;
  messageId?: string;
  purpose: NonNullable<DeliveryTarget["purpose"]>;
  write(head: OwnMessageHead): Buffer;
}

/** @throws what the store throws; nothing was enqueued then */
export async function queueOwnMessage(
  { deliveries, bodies, clock, random }: QueueDeps,
  { domain }: Pick<OwnMailSettings, "domain">,
  { userId, address, purpose, write, ...given }: OwnMail,
): Promise<void> {
  const at = clock.now();
  const id = random.uuid();
  const { from = `no-reply@${domain}`, messageId = makeMessageId(random.bytes(16), domain) } = given;
  const boundary = toBase32(random.bytes(16));
  const wire = stuff(write({ from, mailbox: address, messageId, boundary, at }));
  const isBeyondAscii = parseAddress(address).needsSmtpUtf8;
  const envelope = {
    envelopeFrom: from,
    helo: "",
    clientAddress: "",
    protocol: "ESMTP" as const,
    receivedAt: at,
    eightBit: isBeyondAscii,
    smtpUtf8: isBeyondAscii,
  };
  const target: DeliveryTarget = { purpose, destination: { kind: "mailbox", address }, aliasAddress: from };
  const delivery = { id: random.uuid(), messageId: id, aliasId: null, userId, target, attempts: 0, createdAt: at };
  const message = { id, envelope, sizeBytes: wire.length, createdAt: at };
  const row = { ...delivery, notBefore: at, lease: null, lastFailure: null };
  await enqueueMessage(bodies, { id, wire }, () => deliveries.enqueue(message, [row]));
}
