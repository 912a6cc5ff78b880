import { importMessages } from "@kauke/contract";
import { AliasImportError, unreadableFile } from "./foreign-alias.ts";

export type Bytes = AsyncIterable<Uint8Array>;

/** @throws AliasImportError `too_large` as soon as the maximum is exceeded */
export async function* upTo(maxBytes: number, bytes: Bytes): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of bytes) {
    seen += chunk.length;
    if (seen > maxBytes) throw tooLarge();
    yield chunk;
  }
}

export const tooLarge = (): AliasImportError => new AliasImportError("too_large", null, importMessages.tooLarge);

/** Yields text without its byte order mark. @throws AliasImportError `invalid` */
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

/** Check for each chunk in order, and `null` at the end. @throws AliasImportError `invalid` from the check */
export function utf8Check(): (chunk: Uint8Array | null) => void {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (chunk) => {
    try {
      if (chunk === null) decoder.decode();
      else decoder.decode(chunk, { stream: true });
    } catch {
      throw unreadableFile("The file is not text in UTF-8. Please save it as UTF-8 and try again.");
    }
  };
}

/** Slices of a chunk, so that each blocks the event loop only briefly. */
export function* slices(chunk: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; from += bytes) yield chunk.subarray(from, from + bytes);
}

/** Maximum characters of a line; a longer one loses its rest. */
export const LINE_MAX = 65_536;

export async function* linesOfText(bytes: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
    rest = (parts.pop() ?? "").slice(0, LINE_MAX);
    yield* parts;
  }
  yield rest;
}
