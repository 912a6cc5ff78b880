/**
 * Reads known files of a ZIP archive as its bytes arrive. Only files with expected names are unpacked, and names are
 * never used as paths. The sizes stated in the archive are not trusted: unpacked bytes are counted as they appear.
 */
import { Unzip, type UnzipFile, UnzipInflate } from "fflate";
import { type AliasImportError, unreadable } from "./alias-import-error.ts";
import { type Bytes, slices, tooLarge } from "./checked-text.ts";

export interface ZipPart {
  name: string;
  bytes: Uint8Array;
}

export interface ZipRules {
  isWanted(name: string): boolean;
  unpackedMaxBytes: number;
}

const ENTRIES_MAX = 1000;
/**
 * Compressed bytes unpacked at once. Deflate expands each byte to at most about 1,030, so a slice yields up to about 4
 * MiB.
 */
const SLICE_BYTES = 4096;

/**
 * Yields the bytes of the wanted files in archive order.
 * @throws AliasImportError `too_large`, `invalid`
 */
export async function* zipParts(bytes: Bytes, { isWanted, unpackedMaxBytes }: ZipRules): AsyncGenerator<ZipPart> {
  const ready: ZipPart[] = [];
  const count: Count = { entries: 0, open: 0, unpacked: 0, problem: null };
  const unzip = new Unzip((file) => {
    count.entries += 1;
    if (count.entries > ENTRIES_MAX) count.problem ??= unreadable(`The archive has more than ${ENTRIES_MAX} files.`);
    else if (isWanted(file.name)) unpack(file);
  });
  unzip.register(UnzipInflate);
  function unpack(file: UnzipFile): void {
    count.open += 1;
    file.ondata = (error, data, isLast) => {
      if (error) return void (count.problem ??= damaged());
      count.unpacked += data.length;
      if (count.unpacked > unpackedMaxBytes) count.problem ??= tooLarge();
      if (data.length > 0) ready.push({ name: file.name, bytes: data });
      if (isLast) count.open -= 1;
    };
    file.start();
  }
  for await (const chunk of bytes)
    for (const slice of slices(chunk, SLICE_BYTES)) {
      push(unzip, slice, false);
      throwIf(count);
      yield* ready.splice(0);
    }
  push(unzip, new Uint8Array(0), true);
  throwIf(count);
  yield* ready.splice(0);
  if (count.entries === 0 || count.open > 0) throw damaged();
}

interface Count {
  entries: number;
  /** Number of wanted files that have begun and not ended yet. */
  open: number;
  unpacked: number;
  /**
   * Error found in the archive. The library swallows exceptions of its callbacks, so the error is stored and thrown
   * after they return.
   */
  problem: AliasImportError | null;
}

function throwIf({ problem }: Count): void {
  if (problem !== null) throw problem;
}

const damaged = () => unreadable("The ZIP archive is damaged or not complete.");

function push(unzip: Unzip, slice: Uint8Array, isLast: boolean): void {
  try {
    unzip.push(slice, isLast);
  } catch {
    throw damaged();
  }
}
