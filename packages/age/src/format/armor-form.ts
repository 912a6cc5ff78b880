/** Constants of the armor format, for modules that must not load the library. */
export const ARMOR_BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----";
export const ARMOR_END = "-----END AGE ENCRYPTED FILE-----";

/** Maximum characters of the armor of a file of this size, with CRLF line ends. */
export function armoredLength(sizeBytes: number): number {
  return ARMOR_BEGIN.length + ARMOR_END.length + 4 + Math.ceil(sizeBytes / 48) * 66;
}
