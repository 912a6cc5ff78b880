/** Whether decrypted content is a complete e-mail message (RFC 5322): header fields, an empty line, a body. Pure. */

const field = /^([!-9;-~]+)[ \t]*:/;
/** Header fields that are typical of a message. */
const typical = new Set([
  "content-type",
  "date",
  "delivered-to",
  "from",
  "message-id",
  "mime-version",
  "received",
  "return-path",
  "subject",
  "to",
]);
/** Minimum number of typical header fields; a note that begins "To: the baker" is not a message. */
const TYPICAL_FIELDS_MIN = 3;
const HEADER_MAX_BYTES = 256 * 1024;

export function looksLikeMail(content: Uint8Array): boolean {
  const start = new TextDecoder("latin1").decode(content.subarray(0, HEADER_MAX_BYTES));
  const end = /\r?\n\r?\n/.exec(start);
  if (end === null) return false;
  const lines = start.slice(0, end.index).split(/\r?\n/);
  const names = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (index > 0 && /^[ \t]/.test(line)) continue;
    const name = field.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (typical.has(name)) names.add(name);
  }
  return names.size >= TYPICAL_FIELDS_MIN;
}
