/**
 * Inflates in bounded memory: small streams at once, larger ones chunk by chunk off the main thread. A damaged stream
 * yields the data before the damage, since a viewer may show that much.
 */
import {
  constants,
  createGunzip,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  zstdDecompressSync,
} from "node:zlib";
import type { UnpackBudget } from "./unpack-limits.ts";

/** `deflate` is raw (RFC 1951), `zlib` has a header (RFC 1950). Checksums are not verified. */
export type Packing = "deflate" | "zlib" | "gzip" | "zstd";

const SMALL = 65_536;
/** Maximum bytes of output of a small stream; one that yields more is inflated chunk by chunk. */
const AT_ONCE_MAX = 2 * 1_048_576;
const CHUNK = 262_144;

/** Inflates; yields nothing when the bytes are not in this format. @throws UnsearchableError `unpacks_too_far` */
export async function* inflate(bytes: Buffer, packing: Packing, budget: UnpackBudget): AsyncGenerator<Buffer> {
  const packed = packing === "zlib" ? bytes.subarray(2) : bytes;
  const atOnce = packed.length <= SMALL ? inflateAtOnce(packed, packing) : null;
  if (atOnce !== null) {
    budget.countInflated(atOnce.length);
    yield atOnce;
    return;
  }
  const stream = streamOf(packing);
  stream.end(packed);
  try {
    for await (const chunk of stream) {
      budget.countInflated(chunk.length);
      yield chunk;
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
  } finally {
    stream.destroy();
  }
}

/** Inflates at once; `null` when the output is too large or the stream is damaged. */
function inflateAtOnce(bytes: Buffer, packing: Packing): Buffer | null {
  const options = { maxOutputLength: AT_ONCE_MAX, chunkSize: Math.max(1024, Math.min(CHUNK, bytes.length * 4)) };
  const cut = { ...options, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    if (packing === "zstd") return zstdDecompressSync(bytes, options);
    return packing === "gzip" ? gunzipSync(bytes, cut) : inflateRawSync(bytes, cut);
  } catch {
    return null;
  }
}

function streamOf(packing: Packing) {
  const options = { chunkSize: CHUNK, finishFlush: constants.Z_SYNC_FLUSH };
  if (packing === "zstd") return createZstdDecompress({ chunkSize: CHUNK });
  return packing === "gzip" ? createGunzip(options) : createInflateRaw(options);
}

/** Errors of zlib, zstd or Node's stream around them mean damaged input. */
function isDamage(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && /^(?:Z_|ZSTD_|ERR_)/.test(String(thrown.code));
}
