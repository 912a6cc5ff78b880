/** Reads a text line by line in bounded memory. */
import type { Bytes } from "./checked-text.ts";

/** Characters after which the rest of a line is dropped, except for what arrives in the same chunk. */
export const LINE_MAX = 65_536;

/** Yields the lines of a text in UTF-8. An empty line may be yielded in addition, e.g. at the end of the text. */
export async function* textLines(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
    rest = (parts.pop() ?? "").slice(0, LINE_MAX);
    yield* parts;
  }
  yield rest;
}
