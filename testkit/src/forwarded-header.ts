/**
 * Checks what forwarding may do to a header: certain fields are rewritten or removed, all others stay byte for byte and
 * in order. Uses mail-rfc's parser and its table of removed fields.
 */
import { isDroppedField, readHeader } from "@kauke/mail-rfc";

/** Fields that are rewritten, because they name people, addresses to unsubscribe, or messages of the owner. */
const rewritten = new Set([
  "from",
  "reply-to",
  "to",
  "cc",
  "in-reply-to",
  "references",

  "list-unsubscribe",
  "list-unsubscribe-post",
  "list-post",
  "list-help",
  "list-subscribe",
  "list-owner",
  "list-archive",
]);
/** Trace fields, which Kauke and every other mail host adds; they are not compared. */
const added = new Set(["received", "delivered-to", "authentication-results", "dkim-signature"]);

/** Fields that are added where they are missing. */
const addedIfMissing = new Set(["date", "message-id"]);

/**
 * @param sent the message that was sent, if `message` is what arrived of it
 * @returns the bytes of all fields that must arrive unchanged
 */
export function lastingFields(message: Buffer, sent = message): string[] {
  const there = new Set(readHeader(sent).fields.map(({ name }) => name));
  const isNew = (name: string) => addedIfMissing.has(name) && !there.has(name);
  return readHeader(message)
    .fields.filter(({ name }) => !rewritten.has(name) && !added.has(name) && !isDroppedField(name) && !isNew(name))
    .map(({ start, end }) => message.toString("latin1", start, end));
}

/** @returns the body of a message, which is everything after the blank line */
export function bodyOf(message: Buffer): Buffer {
  const { end, isSeparated } = readHeader(message);
  return message.subarray(isSeparated ? end + 2 : end);
}

/** The header's text, each field on one line; of a message that never came, the word "undefined". */
export function headerText(message: Buffer | undefined): string {
  return (String(message).split("\r\n\r\n", 1)[0] as string).replace(/\r\n[ \t]/g, " ");
}

/** @returns the first such field without its name, or "" */
export function fieldOf(message: Buffer | undefined, name: string): string {
  return new RegExp(`^${name}: (.*)$`, "im").exec(headerText(message))?.[1]?.trim() ?? "";
}
