/** Charsets that a message declares for its octets, and what becomes of octets that are not in them. */
import { isAscii, isUtf8 } from "node:buffer";

const LABEL = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i;
const ASCII_LABELS: ReadonlySet<string> = new Set(["us-ascii", "ascii", "ansi_x3.4-1968"]);

/** @param contentType value of a Content-Type field @returns the label in lower case; `null` when there is none */
export function charsetLabel(contentType: string): string | null {
  return LABEL.exec(contentType)?.[1]?.toLowerCase() ?? null;
}

/**
 * Whether octets are UTF-8 although they are declared to be something else: the label is US-ASCII's, or that of no
 * charset that the platform knows.
 */
export function isUndeclaredUtf8(bytes: Buffer, label: string): boolean {
  if (isAscii(bytes) || !isUtf8(bytes)) return false;
  return ASCII_LABELS.has(label) || decoderOf(label) === null;
}

/** @returns the text of octets in a charset; `null` when it is unknown, or when they are not valid in it */
export function decodeCharset(bytes: Buffer, label: string): string | null {
  try {
    return decoderOf(label)?.decode(bytes) ?? null;
  } catch {
    return null;
  }
}

function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    return null;
  }
}
