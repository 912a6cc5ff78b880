/** A stream that fails with an AgeError of the given code instead of an error of the library. */
import { AgeError, type AgeErrorCode } from "../age-error.ts";

export function guardedStream(code: AgeErrorCode, inner: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = inner.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          controller.error(thrown instanceof AgeError ? thrown : new AgeError(code));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
