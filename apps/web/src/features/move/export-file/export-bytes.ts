/** Tells the format of an export by the file's bytes, not its name. */
import { ExportFileError, type PasswordExport, readPasswordExport } from "./password-export.ts";

export const EXPORT_MAX_BYTES = 32 * 1024 * 1024;
/** Maximum size of the export after unpacking. */
const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;

/** First bytes of a KeePass database (KDBX, and the older KDB). */
const keePassMagic = [0x03, 0xd9, 0xa2, 0x9a];

export async function readExportBytes(bytes: Uint8Array<ArrayBuffer>): Promise<PasswordExport> {
  if (bytes.byteLength > EXPORT_MAX_BYTES) throw new ExportFileError("too_large");
  if (keePassMagic.every((byte, index) => bytes[index] === byte))
    throw new ExportFileError("keepass_database", "KeePass");
  return readPasswordExport(textOf(isZip(bytes) ? await jsonInZip(bytes) : bytes));
}

async function jsonInZip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  try {
    const entries = zipEntries(bytes);
    const data = entries.find(({ name }) => /(?:^|\/)data\.json$/.test(name));
    if (data !== undefined) return await unpackEntry(bytes, data, UNPACKED_MAX_BYTES);
    if (entries.some(({ name }) => name.endsWith(".pgp"))) throw new ExportFileError("encrypted", "Proton Pass");
    throw new ExportFileError(entries.some(({ name }) => /(?:^|\/)aliases\.json$/.test(name)) ? "aliases" : "other");
  } catch (error) {
    throw error instanceof ZipError ? new ExportFileError(error.problem) : error;
  }
}

function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Older Windows programs write Windows-1252. A NUL means binary.
    if (bytes.subarray(0, 4096).includes(0)) throw new ExportFileError("other");
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** `too_large`: the archive's contents after unpacking. */
type ZipProblem = "damaged" | "encrypted" | "too_large";

class ZipError extends Error {
  readonly problem: ZipProblem;

  constructor(problem: ZipProblem) {
    super(problem);
    this.name = "ZipError";
    this.problem = problem;
  }
}

interface ZipEntry {
  name: string;
  isEncrypted: boolean;
  isDeflated: boolean;
  /** Offset of the ZIP entry's local file header. */
  headerAt: number;
  packedBytes: number;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const COMMENT_MAX_BYTES = 0xffff;

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
}

/** Entries of a ZIP file (PKWARE APPNOTE 6.3) without ZIP64, which exports don't need. @throws ZipError `damaged` */
function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endRecordAt(view);
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + ENTRY_BYTES > view.byteLength || view.getUint32(at, true) !== ENTRY_SIGNATURE)
      throw new ZipError("damaged");
    const nameBytes = view.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes)),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      isDeflated: view.getUint16(at + 10, true) === 8,
      headerAt: view.getUint32(at + 42, true),
      packedBytes: view.getUint32(at + 20, true),
    });
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function endRecordAt(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= 0 && at >= last - COMMENT_MAX_BYTES; at -= 1)
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  throw new ZipError("damaged");
}

/** @throws ZipError */
async function unpackEntry(bytes: Uint8Array<ArrayBuffer>, entry: ZipEntry, maxBytes: number): Promise<Uint8Array> {
  if (entry.isEncrypted) throw new ZipError("encrypted");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (entry.headerAt + LOCAL_BYTES > view.byteLength) throw new ZipError("damaged");
  const lengths = view.getUint16(entry.headerAt + 26, true) + view.getUint16(entry.headerAt + 28, true);
  const start = entry.headerAt + LOCAL_BYTES + lengths;
  const packed = bytes.subarray(start, start + entry.packedBytes);
  if (packed.byteLength !== entry.packedBytes) throw new ZipError("damaged");
  if (entry.isDeflated) return inflated(packed, maxBytes);
  if (packed.byteLength > maxBytes) throw new ZipError("too_large");
  return packed;
}

async function inflated(packed: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Uint8Array> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ZipError("damaged");
    });
    if (done) break;
    total += value.byteLength;
    if (total > maxBytes) {
      await reader.cancel();
      throw new ZipError("too_large");
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
