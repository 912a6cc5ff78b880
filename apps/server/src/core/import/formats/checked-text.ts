/** Passes a file's octets on while they are checked: size and UTF-8. Pure but for the stream it reads. */
import { limits } from "@kauke/contract";
import { AppError } from "../../app-error.ts";
import { unreadable } from "../imported-alias.ts";

export type Bytes = AsyncIterable<Uint8Array>;

/**
 * Limits the octets of a file. @throws AppError `too_large` as soon as there are more
 */
export async function* upTo(maxBytes: number, bytes: Bytes): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of bytes) {
    seen += chunk.length;
    if (seen > maxBytes) throw tooLarge();
    yield chunk;
  }
}

export function tooLarge(): AppError {
  const mib = limits.importFileMaxBytes / 1_048_576;
  return new AppError("too_large", {
    message: `The file is too large: ${mib} MiB at most, and ${limits.importUnpackedMaxBytes / 1_048_576} MiB unpacked.`,
  });
}

/** Checks that the octets are UTF-8, without a byte order mark. @throws AppError `invalid` */
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

/** A check to be called with each chunk in order, and with `null` at the end. @throws AppError `invalid` */
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

/** Splits large chunks, so that work on one slice stays short. */
export function* slices(chunk: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let from = 0; from < chunk.length; from += bytes) yield chunk.subarray(from, from + bytes);
}
