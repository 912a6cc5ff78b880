/**
 * Checks the size and the UTF-8 encoding of a file while its bytes are passed on. Pure, apart from the stream that is
 * read.
 */
import { importMessages } from "@kauke/contract";
import { AliasImportError, unreadable } from "./alias-import-error.ts";

export type Bytes = AsyncIterable<Uint8Array>;

/**
 * Yields the bytes of a file, and ends with an error if there are more than the maximum.
 * @throws AliasImportError `too_large` as soon as the maximum is exceeded
 */
export async function* upTo(maxBytes: number, bytes: Bytes): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of bytes) {
    seen += chunk.length;
    if (seen > maxBytes) throw tooLarge();
    yield chunk;
  }
}

export const tooLarge = (): AliasImportError => new AliasImportError("too_large", null, importMessages.tooLarge);

/**
 * Passes on the bytes of a text, without its byte order mark, and checks that they are UTF-8.
 * @throws AliasImportError `invalid`
 */
export async function* checkedUtf8(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const check = utf8Check();
  let isFirst = true;
  for await (const chunk of bytes) {
    check(chunk);
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
  check(null);
}

/**
 * Makes a UTF-8 check for a stream: a function to be called with each chunk in order, and with `null` at the end.
 * @throws AliasImportError `invalid` from the returned function
 */
export function utf8Check(): (chunk: Uint8Array | null) => void {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (chunk) => {
    try {
      if (chunk === null) decoder.decode();
      else decoder.decode(chunk, { stream: true });
    } catch {
      throw unreadable("The file is not text in UTF-8. Please save it as UTF-8 and try again.");
    }
  };
}

/** Splits a large chunk into slices, so that processing one slice blocks the event loop only briefly. */
export function* slices(chunk: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; from += bytes) yield chunk.subarray(from, from + bytes);
}

/** Characters after which the rest of a line is dropped, except for what arrives in the same chunk. */
export const LINE_MAX = 65_536;

/** Yields the lines of a text in UTF-8, in bounded memory. An empty line may be yielded in addition, e.g. at the end of the text. */
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
