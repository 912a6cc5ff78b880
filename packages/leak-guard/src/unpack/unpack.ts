/** Selects the unpacker by the first bytes of the data. */
import type { Inner } from "../inner.ts";
import { isCms, unpackBer } from "./unpack-ber.ts";
import type { UnpackBudget } from "./unpack-limits.ts";
import { isOpenPgp, unpackOpenPgp } from "./unpack-openpgp.ts";
import { isPdf, isZlib, pdfViews, unpackPdf } from "./unpack-pdf.ts";
import { isPng, unpackPng } from "./unpack-png.ts";
import { isTnef, unpackRichText, unpackTnef } from "./unpack-tnef.ts";
import { unpackZip, ZIP_MAGIC } from "./unpack-zip.ts";

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const startsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

/** Whether the data can be unpacked only when it is complete in memory. @param head first bytes of the data */
export function isContainer(head: Buffer): boolean {
  return [isPdf, isPng, isTnef, isCms, (bytes: Buffer) => startsWith(bytes, ZIP_MAGIC)].some((test) => test(head));
}

/**
 * Yields the contents of a container and counts them as members. @param bytes binary data, or text that is a PDF file
 * @throws UnsearchableError when a limit is exceeded
 */
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

/** Yields other readings of data that its container format allows, such as decoded PDF strings. */
export function* viewsIn(bytes: Buffer, { isPdf: isOfPdf = false }: Pick<Inner, "isPdf">): Generator<Inner> {
  if (isOfPdf) yield* pdfViews(bytes);
}
