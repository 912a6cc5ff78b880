/**
 * What forwarding may do to a header, as a law: the list of fields that we write anew or leave out, and nothing else changes, byte
 * for byte and in its order. Read with the parser of mail-rfc, the table of fields that go from there too.
 */
import { mustGo, readHeader } from "@kauke/mail-rfc";

/** Rewritten, because they name people, places to unsubscribe, or messages of the owner. */
const rewritten = new Set([
  ...["from", "reply-to", "to", "cc", "in-reply-to", "references"],
  ...[
    "list-unsubscribe",
    "list-unsubscribe-post",
    "list-post",
    "list-help",
    "list-subscribe",
    "list-owner",
    "list-archive",
  ],
]);
/** Trace fields, which Kauke and every other mail host adds: not compared. */
const added = new Set(["received", "delivered-to", "authentication-results", "dkim-signature"]);

/** The fields that must arrive as they were sent, each with its bytes. */
export function lastingFields(message: Buffer): string[] {
  return readHeader(message)
    .fields.filter(({ name }) => !rewritten.has(name) && !added.has(name) && !mustGo(name))
    .map(({ start, end }) => message.toString("latin1", start, end));
}

/** All after the blank line. */
export function bodyOf(message: Buffer): Buffer {
  const { end, isSeparated } = readHeader(message);
  return message.subarray(isSeparated ? end + 2 : end);
}
