/** Reads known files of a ZIP archive as bytes arrive; never uses names as paths, nor trusts stated sizes. */
import { Unzip, type UnzipFile, UnzipInflate } from "fflate";
import { type Bytes, slices, tooLarge } from "./checked-text.ts";
import { type AliasImportError, unreadableFile } from "./foreign-alias.ts";

export interface ZipPart {
  name: string;
  bytes: Uint8Array;
}

export interface ZipRules {
  isWanted(name: string): boolean;
  unpackedMaxBytes: number;
}

const ENTRIES_MAX = 1000;
/** Bytes inflated at once: deflate expands a byte to at most 1,030, so up to 4 MiB. */
const SLICE_BYTES = 4096;

/** @throws AliasImportError `too_large`, `invalid` */
export async function* zipParts(bytes: Bytes, { isWanted, unpackedMaxBytes }: ZipRules): AsyncGenerator<ZipPart> {
  const ready: ZipPart[] = [];
  const count: Count = { entries: 0, open: 0, unpacked: 0, problem: null };
  const unzip = new Unzip((file) => {
    count.entries += 1;
    if (count.entries > ENTRIES_MAX)
      count.problem ??= unreadableFile(`The archive has more than ${ENTRIES_MAX} files.`);
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
  open: number;
  unpacked: number;
  /** Error to throw after the library's callbacks return, because it swallows their exceptions. */
  problem: AliasImportError | null;
}

function throwIf({ problem }: Count): void {
  if (problem !== null) throw problem;
}

const damaged = () => unreadableFile("The ZIP archive is damaged or not complete.");

function push(unzip: Unzip, slice: Uint8Array, isLast: boolean): void {
  try {
    unzip.push(slice, isLast);
  } catch {
    throw damaged();
  }
}
