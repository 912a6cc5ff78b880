/** Detects the kind of an export file by its bytes, and reads the password manager's export in it. */
import { ExportFileError, type PasswordExport, readPasswordExport } from "./password-export.ts";
import { isZip, unpackEntry, ZipError, zipEntries } from "./zip-entry.ts";

export const EXPORT_MAX_BYTES = 32 * 1024 * 1024;
/** Maximum octets of the JSON file in a ZIP archive after unpacking. */
const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;

/** First bytes of a KeePass database (KDBX, and the older KDB). */
const keePassMagic = [0x03, 0xd9, 0xa2, 0x9a];

/** Reads a password manager's export from the bytes of a file. @throws ExportFileError */
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
    // Older programs for Windows write Windows-1252. A NUL character shows that the file is binary, not text.
    if (bytes.subarray(0, 4096).includes(0)) throw new ExportFileError("other");
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
