/** What a dropped or chosen file is, by its bytes and never by its name. Pure. */
const armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----";
const armorEnd = "-----END AGE ENCRYPTED FILE-----";
const binaryBegin = "age-encryption.org/v1\n";

/** Of the encrypted file, in bytes. */
export const fileMaxBytes = 40 * 1024 * 1024;
/** How much of a file is looked at when it is chosen: a saved message's header and notice are far shorter. */
export const fileStartBytes = 256 * 1024;

/** `surrounded`: armor with other text around it, such as a saved message. */
export type EncryptedFileKind = "binary" | "armored" | "surrounded";

/** @param start its first `fileStartBytes`, or all of it @returns `null`: nothing that age has encrypted */
export function encryptedFileKind(start: Uint8Array): EncryptedFileKind | null {
  const text = latin1(start);
  if (text.startsWith(binaryBegin)) return "binary";
  const begin = text.indexOf(armorBegin);
  if (begin === -1) return null;
  return text.slice(0, begin).trim() === "" ? "armored" : "surrounded";
}

/** The first armored block, markers included; `null` when there is no whole one. */
export function armorWithin(bytes: Uint8Array): Uint8Array | null {
  const text = latin1(bytes);
  const begin = text.indexOf(armorBegin);
  const end = begin === -1 ? -1 : text.indexOf(armorEnd, begin);
  return end === -1 ? null : bytes.slice(begin, end + armorEnd.length);
}

/** One character per byte, so that places in the text are places in the bytes. */
function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
