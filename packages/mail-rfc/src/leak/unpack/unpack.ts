/** Which unpackers are asked for which bytes. */
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

/** Whether its insides can be read only when all of it is at hand. @param head its first bytes */
export function isContainer(head: Buffer): boolean {
  return [isPdf, isPng, isTnef, isCms, (it: Buffer) => startsWith(it, ZIP_MAGIC)].some((test) => test(head));
}

/** Counts what it gives as members. @param bytes not text, or a text that is a PDF file @throws UnsearchableError of the budget */
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

/** What the format of the container makes of data in it. */
export function* viewsIn(bytes: Buffer, { isPdf: isOfPdf = false }: Pick<Inner, "isPdf">): Generator<Inner> {
  if (isOfPdf) yield* pdfViews(bytes);
}
