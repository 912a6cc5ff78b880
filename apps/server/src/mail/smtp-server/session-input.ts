/** What a client has sent and nobody has looked at yet: commands are taken out line by line, data in the pieces it came in. */
import { maxCommandBytes } from "./smtp-command.ts";

const LF = 0x0a;
const CR = 0x0d;

export class SessionInput {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** The oldest piece; ask only when there is one. */
  takeChunk(): Buffer {
    const chunk = this.#chunks.shift() as Buffer;
    this.#bytes -= chunk.length;
    return chunk;
  }

  /** Gives back what was no data any more. */
  putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#chunks.unshift(rest);
    this.#bytes += rest.length;
  }

  /** @returns the next line without its end, `null` while no whole line is there, `too_long` when it is beyond the limit */
  takeLine(): { line: string } | "too_long" | null {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    const bytes = this.#chunks[0] as Buffer;
    const end = bytes.indexOf(LF);
    if ((end < 0 ? bytes.length : end) > maxCommandBytes) return "too_long";
    if (end < 0) return null;
    const rest = bytes.subarray(end + 1);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return { line: bytes.toString("utf8", 0, end > 0 && bytes[end - 1] === CR ? end - 1 : end) };
  }
}

/** Two turns of the event loop, and no timer: by then what a new client had sent has been read. */
export function afterReading(act: () => void): void {
  setImmediate(() => setImmediate(act));
}
