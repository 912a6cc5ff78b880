/** Decrypts a binary age file of any length with 64 KiB in memory. */
import { AgeError } from "./age-error.ts";
import { attemptWith, type DecryptWith } from "./decrypt.ts";
import { guardedStream } from "./guarded-stream.ts";
import { type AgeHeader, checkHeader, scanHeader } from "./header.ts";
import { AGE_HEADER_MAX_BYTES } from "./limits.ts";

/**
 * @param file binary, in chunks of any size; cancelled when it is refused
 * @returns each chunk is authentic, but the file is whole only when the stream ends without an error: a file cut short or
 *   damaged further on ends with `malformed`, and what came before must be thrown away
 * @throws AgeError as `decrypt`, once the header has been read
 */
export async function decryptStream(
  file: ReadableStream<Uint8Array>,
  key: DecryptWith,
): Promise<ReadableStream<Uint8Array>> {
  const reader = file.getReader();
  try {
    const { header, read } = await readHeader(reader);
    const whole = withBeginning(read, reader);
    return await attemptWith(key, header.stanzaTypes, async (decrypter) =>
      guardedStream("malformed", await decrypter.decrypt(whole)),
    );
  } catch (thrown) {
    await reader.cancel().catch(() => undefined);
    throw thrown instanceof AgeError ? thrown : new AgeError("malformed");
  }
}

async function readHeader(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ header: AgeHeader; read: Uint8Array }> {
  let read = new Uint8Array(0);
  let lookAgainAt = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { header: checkHeader(read), read };
    read = joined(read, value);
    // At doubled sizes only, or a header that comes byte by byte would be read as often as it has bytes.
    if (read.length < lookAgainAt && read.length <= AGE_HEADER_MAX_BYTES) continue;
    const header = scanHeader(read);
    if (header !== null) return { header, read };
    if (read.length > AGE_HEADER_MAX_BYTES) throw new AgeError("too_large");
    lookAgainAt = read.length * 2;
  }
}

function withBeginning(
  beginning: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(beginning),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
