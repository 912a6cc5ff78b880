/** Long JSON responses are compressed in zlib's threads; while these are busy, further ones are sent as they are. */
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { bounds } from "../../limits/table.ts";

const gzipped = promisify(gzip);

/** A list of 500 aliases takes 0.7 ms, and one eighth of the bytes; higher levels save 5 % for twice the time. */
const options = { level: 3, chunkSize: 65_536 };

export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(headers["accept-encoding"] ?? "");

/**
 * Compressed sizes show whether a guessed text occurs in a response (BREACH) to somebody who can have a browser request
 * it again and again. Another site can do that only with requests that the browser marks as such; an API key is never
 * sent by the browser itself.
 */
const isByOwnCode = (headers: IncomingHttpHeaders, hasKey: boolean): boolean =>
  hasKey || headers["sec-fetch-site"] === "same-origin";

export class CompressedTexts {
  #inProgress = 0;

  /** @returns null for a text that is sent uncompressed */
  async compress(text: string, headers: IncomingHttpHeaders, hasKey: boolean): Promise<Buffer | null> {
    if (!acceptsGzip(headers) || !isByOwnCode(headers, hasKey)) return null;
    if (this.#inProgress >= bounds.compressedTexts.all) return null;
    this.#inProgress += 1;
    try {
      return await gzipped(text, options);
    } finally {
      this.#inProgress -= 1;
    }
  }
}
