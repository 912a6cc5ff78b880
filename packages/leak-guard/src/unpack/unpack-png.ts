/**
 * Reads compressed text of PNG images: the chunks zTXt and iTXt (PNG §11.3.3). Uncompressed text needs no unpacking.
 */
import type { Inner } from "../inner.ts";

const MAGIC = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC);

export function* unpackPng(bytes: Buffer): Generator<Inner> {
  let at = MAGIC.length;
  while (at + 12 <= bytes.length) {
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    const type = bytes.toString("latin1", at + 4, at + 8);
    const start = type === "zTXt" ? afterNuls(data, 1) + 1 : type === "iTXt" ? startOfText(data) : 0;
    if (start > 0 && start < data.length) yield { bytes: data.subarray(start), packing: "zlib" };
    at += 12 + data.length;
  }
}

/**
 * Skips keyword, NUL, flag, method, language, NUL, translated keyword and NUL of an iTXt chunk.
 * @returns the offset of the text; 0 when the text is not compressed
 */
function startOfText(data: Buffer): number {
  const keywordEnd = afterNuls(data, 1);
  if (data[keywordEnd] !== 1) return 0;
  return keywordEnd + 2 + afterNuls(data.subarray(keywordEnd + 2), 2);
}

/** @returns the offset after the given number of NUL bytes, or the length when there are fewer */
function afterNuls(data: Buffer, count: number): number {
  let at = 0;
  for (let found = 0; found < count; found += 1) {
    const next = data.indexOf(0, at);
    if (next < 0) return data.length;
    at = next + 1;
  }
  return at;
}
