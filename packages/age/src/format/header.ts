import { AgeError } from "../age-error.ts";
import { AGE_HEADER_MAX_BYTES, AGE_STANZAS_MAX, AGE_WORK_FACTOR_MAX } from "../limits.ts";

const VERSION_LINE = "age-encryption.org/v1\n";

export interface AgeHeader {
  sizeBytes: number;
  /** First words of the stanzas, e.g. `["X25519", "X25519"]`. */
  stanzaTypes: readonly string[];
  /** log2 of scrypt's N; `null` without a password stanza, or if it is no positive decimal integer. */
  workFactor: number | null;
}

/** @throws AgeError `not_age`, `malformed`, `too_large`, `work_factor_too_high` */
export function checkHeader(file: Uint8Array): AgeHeader {
  const header = scanHeader(file);
  if (header === null) throw new AgeError(file.length > AGE_HEADER_MAX_BYTES ? "too_large" : "malformed");
  return header;
}

/** Checks the header; `null` if `file` ends before it does. @throws AgeError as `checkHeader` */
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
    if (line.startsWith("--- ")) return checkPasswordStanza({ sizeBytes: at, ...lines });
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

/** A password stanza must stand alone, whichever key is tried. */
function checkPasswordStanza(header: AgeHeader): AgeHeader {
  if (header.stanzaTypes.length > 1 && header.stanzaTypes.includes("scrypt")) throw new AgeError("malformed");
  return header;
}

/** One character per byte, so that offsets are the same. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}
