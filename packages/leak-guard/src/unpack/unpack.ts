import type { Inner } from "../inner.ts";
import type { UnpackBudget } from "./unpack-limits.ts";
import { isPdf, isZlib, pdfViews, unpackPdf } from "./unpack-pdf.ts";
import { isCms, isOpenPgp, unpackBer, unpackOpenPgp } from "./unpack-signatures.ts";
import { isTnef, unpackRichText, unpackTnef } from "./unpack-tnef.ts";
import { unpackZip, ZIP_MAGIC } from "./unpack-zip.ts";

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const startsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

/** Whether the data can be unpacked only when complete in memory. */
export function isContainer(head: Buffer): boolean {
  return [isPdf, isPng, isTnef, isCms, (bytes: Buffer) => startsWith(bytes, ZIP_MAGIC)].some((test) => test(head));
}

/** Unpacks a container and counts its contents as members. @throws UnsearchableError */
export function* unpack(bytes: Buffer, budget: UnpackBudget): Generator<Inner> {
  for (const inner of insideOf(bytes, budget)) {
    if (!inner.isView) budget.countMember();
    yield inner;
  }
}

function* insideOf(bytes: Buffer, budget: UnpackBudget): Generator<Inner> {
  if (isPdf(bytes)) return yield* unpackPdf(bytes);
  if (startsWith(bytes, GZIP_MAGIC)) return yield { bytes, packing: "gzip" };
  if (startsWith(bytes, ZSTD_MAGIC)) return yield { bytes, packing: "zstd" };
  if (isPng(bytes)) return yield* unpackPng(bytes);
  yield* unpackRichText(bytes, budget);
  if (isTnef(bytes)) return yield* unpackTnef(bytes);
  if (isZlib(bytes)) yield { bytes, packing: "zlib" };
  if (isCms(bytes)) yield* unpackBer(bytes);
  if (isOpenPgp(bytes)) yield* unpackOpenPgp(bytes);
  yield* unpackZip(bytes);
}

export function* viewsIn(bytes: Buffer, { isPdf: isOfPdf = false }: Pick<Inner, "isPdf">): Generator<Inner> {
  if (isOfPdf) yield* pdfViews(bytes);
}

const MAGIC = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

const isPng = (bytes: Buffer): boolean => bytes.subarray(0, MAGIC.length).equals(MAGIC);

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

/** Offset of the text of an iTXt chunk; 0 when it is not compressed. */
function startOfText(data: Buffer): number {
  const keywordEnd = afterNuls(data, 1);
  if (data[keywordEnd] !== 1) return 0;
  return keywordEnd + 2 + afterNuls(data.subarray(keywordEnd + 2), 2);
}

function afterNuls(data: Buffer, count: number): number {
  let at = 0;
  for (let found = 0; found < count; found += 1) {
    const next = data.indexOf(0, at);
    if (next < 0) return data.length;
    at = next + 1;
  }
  return at;
}
