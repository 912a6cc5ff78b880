/** What armor looks like, for those who need not load the library for it. */
export const ARMOR_BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----";
export const ARMOR_END = "-----END AGE ENCRYPTED FILE-----";

/** Characters of the armor of so many bytes with CRLF line ends. */
export function armoredLength(sizeBytes: number): number {
  return ARMOR_BEGIN.length + ARMOR_END.length + 4 + Math.ceil(sizeBytes / 48) * 66;
}
