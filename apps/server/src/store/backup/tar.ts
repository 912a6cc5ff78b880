/** Tar files (POSIX.1-1988 ustar) as far as backups need them; docs/decisions/2026-11-21-dependencies.md says why. */

const BLOCK_BYTES = 512;
/** Maximum of the size field, 11 octal digits: 8 GiB. A file of the database has at most 1 GiB. */
const SIZE_MAX_BYTES = 8 ** 11 - 1;

export interface TarEntry {
  /** Path relative to the archive's root, separated by `/`; at most 100 octets, 99 for a directory. */
  name: string;
  file: { sizeBytes: number; read(): AsyncIterable<Uint8Array> } | null;
}

/** Yields a tar file. @throws TarError for a name or size that does not fit, or a file of another length */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const { name, file } of entries) {
    const size = file?.sizeBytes ?? 0;
    yield header(name, size, file === null);
    let written = 0;
    for await (const chunk of file?.read() ?? []) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new TarError();
    yield Buffer.alloc(padding(size));
  }
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** Yields entries; read the content of each to its end before the next. @throws TarError */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const source = new ByteSource(bytes);
  for (;;) {
    const block = await source.take(BLOCK_BYTES);
    if (isEmpty(block)) return await source.endEmpty();
    const { name, size, isDirectory } = parseHeader(block);
    if (isDirectory) {
      yield { name, file: null };
      continue;
    }
    yield { name, file: { sizeBytes: size, read: () => source.stream(size) } };
    await source.take(padding(size));
  }
}

export class TarError extends Error {
  override name = "TarError";
}

const padding = (size: number) => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
const CHECKSUM_AT = 148;
/** Offset of `prefix`, the first part of a path above 100 octets; our archives leave it empty. */
const PREFIX_AT = 345;

function header(name: string, size: number, isDirectory: boolean): Buffer {
  const path = isDirectory ? `${name}/` : name;
  if (Buffer.byteLength(path) > 100 || size > SIZE_MAX_BYTES) throw new TarError();
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(path, 0);
  block.write(octal(isDirectory ? 0o700 : 0o600, 7), 100);
  block.write(octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 108);
  block.write(" ".repeat(8), CHECKSUM_AT);
  block.write(isDirectory ? "5" : "0", 156);
  block.write("ustar\x0000", 257);
  block.write(octal(sumOf(block), 6), CHECKSUM_AT);
  return block;
}

const isEmpty = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const sumOf = (block: Uint8Array) => block.reduce((sum, byte) => sum + byte, 0);

function parseHeader(block: Buffer): { name: string; size: number; isDirectory: boolean } {
  const text = (from: number, length: number) => block.toString("latin1", from, from + length).split("\0")[0] ?? "";
  const number = (from: number, length: number) => Number.parseInt(text(from, length).trim(), 8);
  const unsummed = Buffer.from(block).fill(0x20, CHECKSUM_AT, CHECKSUM_AT + 8);
  const [kind, size] = [text(156, 1), number(124, 12)];
  if (number(CHECKSUM_AT, 8) !== sumOf(unsummed) || !(size >= 0) || !["0", "5"].includes(kind)) throw new TarError();
  if (block[PREFIX_AT] !== 0) throw new TarError();
  return { name: text(0, 100).replace(/\/$/, ""), size, isDirectory: kind === "5" };
}

class ByteSource {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for await (const chunk of this.stream(length)) taken.push(chunk);
    return Buffer.concat(taken);
  }

  /** Reads the zero blocks after the last entry, of which programs add any number, to the end of the stream. */
  async endEmpty(): Promise<void> {
    for (let rest: Uint8Array = this.#rest; ; ) {
      if (!isEmpty(rest)) throw new TarError();
      const { value, done } = await this.#source.next();
      if (done === true) return;
      rest = value;
    }
  }

  async *stream(length: number): AsyncGenerator<Buffer> {
    for (let missing = length; missing > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#source.next();
        if (done === true) throw new TarError();
        this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      }
      const chunk = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(chunk.length);
      missing -= chunk.length;
      yield chunk;
    }
  }
}
