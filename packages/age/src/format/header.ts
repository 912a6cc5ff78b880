/**
 * A first look at an age header, before any cryptography: how large, how many stanzas, of which kind, what password work it
 * asks for. It decides only what is too much; whether the header is well formed in every detail is the library's to say.
 */
import { AgeError } from "../age-error.ts";
import { AGE_HEADER_MAX_BYTES, AGE_STANZAS_MAX, AGE_WORK_FACTOR_MAX } from "../limits.ts";

const VERSION_LINE = "age-encryption.org/v1\n";

export interface AgeHeader {
  sizeBytes: number;
  /** First word of each stanza, e.g. `["X25519", "X25519"]`. */
  stanzaTypes: readonly string[];
  /** log2 of the scrypt cost; `null` without a password stanza or where it is no number. */
  workFactor: number | null;
}

/**
 * @param file its beginning is enough: the header with its last line end, or one byte more than the header may have
 * @throws AgeError `not_age`, `malformed`, `too_large`, `work_factor_too_high`
 */
export function checkHeader(file: Uint8Array): AgeHeader {
  const header = scanHeader(file);
  if (header === null) throw new AgeError(file.length > AGE_HEADER_MAX_BYTES ? "too_large" : "malformed");
  return header;
}

/** @returns `null` while the header's last line has not been seen @throws AgeError as `checkHeader` */
export function scanHeader(file: Uint8Array): AgeHeader | null {
  const text = latin1(file.subarray(0, AGE_HEADER_MAX_BYTES));
  if (!text.startsWith(VERSION_LINE)) {
    if (file.length < VERSION_LINE.length && VERSION_LINE.startsWith(text)) return null;
    throw new AgeError("not_age");
  }
  const lines = { stanzaTypes: [] as string[], workFactor: null as number | null };
  for (let at = VERSION_LINE.length; ; ) {
    const end = text.indexOf("\n", at);
    if (end === -1) return null;
    const line = text.slice(at, end);
    at = end + 1;
    if (line.startsWith("--- ")) return checkTogether({ sizeBytes: at, ...lines });
    if (!line.startsWith("-> ")) continue;
    const [type = "", , factor = ""] = line.slice(3).split(" ");
    lines.stanzaTypes.push(type);
    if (lines.stanzaTypes.length > AGE_STANZAS_MAX) throw new AgeError("too_large");
    if (type === "scrypt") lines.workFactor = checkWorkFactor(factor);
  }
}

function checkWorkFactor(word: string): number | null {
  if (!/^[1-9][0-9]*$/.test(word)) return null;
  if (Number(word) > AGE_WORK_FACTOR_MAX) throw new AgeError("work_factor_too_high");
  return Number(word);
}

/** A password stanza stands alone, whichever key is tried. */
function checkTogether(header: AgeHeader): AgeHeader {
  if (header.stanzaTypes.length > 1 && header.stanzaTypes.includes("scrypt")) throw new AgeError("malformed");
  return header;
}

/** One character a byte, so that places in the text are places in the file. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}
