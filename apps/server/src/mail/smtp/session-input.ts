/**
 * Received bytes: commands are taken line by line, message data in chunks. They are gathered while a command is in
 * progress, since a client may send each byte in a TLS record of its own.
 */
import { bounds } from "../../limits/table.ts";
import { ByteBlocks } from "../../runtime/byte-streams.ts";

const LF = 0x0a;
const CR = 0x0d;

export class SessionInput {
  /** Chunks that arrived before the bytes of `#blocks`. */
  #chunks: Buffer[] = [];
  readonly #blocks = new ByteBlocks();
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get length(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#blocks.push(chunk);
    this.#bytes += chunk.length;
  }

  clear(): void {
    this.#chunks = [];
    this.#blocks.take();
    this.#bytes = 0;
  }

  /** Takes the next chunk; call it only while there is input. */
  takeChunk(): Buffer {
    if (this.#chunks.length === 0) this.#chunks = this.#blocks.take();
    const chunk = this.#chunks.shift() as Buffer;
    this.#bytes -= chunk.length;
    return chunk;
  }

  putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#chunks.unshift(rest);
    this.#bytes += rest.length;
  }

  /** @returns the next line without its end; `null` when it is incomplete; `too_long` when it exceeds the limit */
  takeLine(): { line: string } | "too_long" | null {
    this.#chunks.push(...this.#blocks.take());
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    const bytes = this.#chunks[0] as Buffer;
    const end = bytes.indexOf(LF);
    if ((end < 0 ? bytes.length : end) > bounds.smtpSession.lineBytes) return "too_long";
    if (end < 0) return null;
    const rest = bytes.subarray(end + 1);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return { line: bytes.toString("utf8", 0, end > 0 && bytes[end - 1] === CR ? end - 1 : end) };
  }
}

/** Runs `act` two turns of the event loop later, when the bytes that a new client has sent are read. */
export function afterReading(act: () => void): void {
  setImmediate(() => setImmediate(act));
}
