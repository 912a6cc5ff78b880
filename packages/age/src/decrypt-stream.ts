import { AgeError } from "./age-error.ts";
import { attemptWith, type DecryptWith } from "./decrypt.ts";
import { guardedStream } from "./format/guarded-stream.ts";
import { type AgeHeader, checkHeader, scanHeader } from "./format/header.ts";
import { AGE_HEADER_MAX_BYTES } from "./limits.ts";

/**
 * Decrypts a stream. The plaintext is complete only if the stream ends without an error: a truncated file ends with
 * `malformed`, and what came before must be discarded.
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
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  let lookAgainAt = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) chunks.push(value);
    sizeBytes += value?.length ?? 0;
    // Parsed only when the size has doubled, so that a header arriving byte by byte is not parsed once per byte.
    if (!done && sizeBytes < lookAgainAt && sizeBytes <= AGE_HEADER_MAX_BYTES) continue;
    const read = joined(chunks, sizeBytes);
    const header = done || sizeBytes > AGE_HEADER_MAX_BYTES ? checkHeader(read) : scanHeader(read);
    if (header !== null) return { header, read };
    lookAgainAt = sizeBytes * 2;
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

function joined(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const whole = new Uint8Array(sizeBytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
