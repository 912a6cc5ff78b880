/** Test helpers that make byte streams from chunks and read streams to their end. */
export function streamOf(bytes: Uint8Array, chunkBytes: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + chunkBytes));
      at += chunkBytes;
    },
  });
}

/** Reads a stream to its end. @returns the bytes read, and the error that ended the stream, if any */
export async function drained(stream: ReadableStream<Uint8Array>): Promise<{ bytes: Uint8Array; error: unknown }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { bytes: new Uint8Array(Buffer.concat(chunks)), error: null };
  } catch (error) {
    return { bytes: new Uint8Array(Buffer.concat(chunks)), error };
  }
}
