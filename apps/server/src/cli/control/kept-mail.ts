/**
 * Mail to postmaster@ and abuse@ that is kept for the operator, as plain text. Strangers wrote it and it is printed on
 * a terminal, so control characters and bidirectional marks are removed.
 */
import { unstuff } from "@kauke/mail-rfc";
import PostalMime, { type Email } from "postal-mime";
import type { Store } from "../../store/open-store.ts";

export interface KeptSummary {
  messageId: string;
  receivedAt: string;
  to: string;
  envelopeFrom: string;
  sizeBytes: number;
}

export interface KeptText {
  from: string;
  subject: string;
  text: string;
}

const isMessageId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TEXT_MAX = 20_000;
const LINE_MAX = 1000;

export async function listKept({ deliveries }: Pick<Store, "deliveries">): Promise<KeptSummary[]> {
  const kept = await deliveries.listKeptForOperator();
  return kept.map(({ messageId, createdAt, address, envelope, sizeBytes }) => ({
    messageId,
    receivedAt: createdAt.toISOString(),
    to: oneLine(address),
    envelopeFrom: oneLine(envelope.envelopeFrom),
    sizeBytes,
  }));
}

/** @returns `null` when no message with this id is kept for the operator, even if the spool holds one */
export async function readKept(
  store: Pick<Store, "deliveries" | "bodies">,
  messageId: string,
): Promise<KeptText | null> {
  const kept = await store.deliveries.listKeptForOperator();
  if (!kept.some((one) => one.messageId === messageId)) return null;
  const wire = await store.bodies.get(messageId);
  return wire === null ? null : await shownText(unstuff(wire));
}

/** @returns false when no such message is kept for the operator */
export async function forgetKept(
  { deliveries, bodies }: Pick<Store, "deliveries" | "bodies">,
  messageId: string,
): Promise<boolean> {
  if (!isMessageId.test(messageId) || !(await deliveries.deleteKeptForOperator(messageId))) return false;
  // A body that could not be deleted is removed later by the retention sweep.
  await bodies.delete(messageId).catch(() => {});
  return true;
}

/** @param raw message without dot-stuffing; one that can't be parsed is shown as raw text */
export async function shownText(raw: Buffer): Promise<KeptText> {
  const email = await PostalMime.parse(raw, { forceRfc822Attachments: true }).catch(() => null);
  if (email === null) return { from: "", subject: "", text: shown(raw.toString("latin1", 0, TEXT_MAX)) };
  return { from: oneLine(authorOf(email)), subject: oneLine(email.subject ?? ""), text: shown(textOf(email)) };
}

function authorOf({ from }: Email): string {
  return from === undefined ? "" : `${from.name} <${from.address ?? ""}>`.trim();
}

function textOf({ text, html, attachments }: Email): string {
  const files = attachments.length === 0 ? "" : `\n[${attachments.length} attachments]`;
  return `${text ?? html ?? ""}${files}`;
}

function oneLine(text: string): string {
  return shown(text.slice(0, LINE_MAX)).replace(/\s+/g, " ").trim();
}

/** Removes control, format and unpaired surrogate characters except line ends and tabs. */
function shown(text: string): string {
  const whole = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}\n[truncated]` : text;
  return whole.replaceAll("\r\n", "\n").replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "");
}
