/** Commands line by line, message data in chunks, gathered while a command runs: TLS records may have one byte each. */

import type { MemoryBudget } from "../../limits/bytes.ts";
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

  /** @returns a line without its end; `null` when it is incomplete; `too_long` when it exceeds the limit */
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

export type DataResult =
  | { kind: "message"; bytes: Buffer }
  | { kind: "too_large" }
  | { kind: "over_budget" }
  /** A bare CR or LF next to a dot at a line start, or a NUL at a line start. */
  | { kind: "smuggling" };

const END = Buffer.from("\r\n.\r\n", "latin1");
const TAIL_BYTES = END.length - 1;
const CR_DOT = Buffer.from("\r.", "latin1");
const LF_DOT = Buffer.from("\n.", "latin1");
const DOT = 0x2e;

/**
 * Reads a message until the lone dot (RFC 5321 §4.1.1.4). Only CRLF.CRLF ends it: any dot at a bare CR or LF could
 * smuggle a message, so the message is rejected. One that is too large is read to its end without storing it.
 */
export class DataReader {
  readonly #maxBytes: number;
  readonly #budget: MemoryBudget;
  readonly #blocks = new ByteBlocks();
  /** Last bytes received, at most four; initially CRLF, so that a lone dot right away ends an empty message. */
  #tail: Buffer = Buffer.from("\r\n", "latin1");
  #size = 0;
  #held = 0;
  #failure: "too_large" | "over_budget" | "smuggling" | null = null;

  constructor(maxBytes: number, budget: MemoryBudget) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  get receivedBytes(): number {
    return this.#size;
  }

  get heldBytes(): number {
    return this.#held;
  }

  /** @returns at the end of the message how many bytes of `chunk` belong to it. Counts in the budget until `release` */
  push(chunk: Buffer): { result: DataResult; consumed: number } | null {
    const joint = this.#jointWith(chunk);
    const inJoint = joint === null ? -1 : joint.indexOf(END);
    // Most attachments contain no dot, and finding that out is much faster than finding line starts.
    const hasDot = chunk.indexOf(DOT) >= 0;
    // A terminator that starts in the tail ends within the joint of tail and chunk; any later one lies in the chunk.
    const end = inJoint >= 0 ? inJoint + END.length - this.#tail.length : hasDot ? endIn(chunk) : -1;
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    this.#checkForSmuggling(joint, part, hasDot);
    this.#keep(part);
    this.#tail = (part.length >= TAIL_BYTES ? part : (joint ?? part)).subarray(-TAIL_BYTES);
    return end < 0 ? null : { result: this.#finish(), consumed: end };
  }

  release(): void {
    this.#budget.give(this.#held);
    this.#held = 0;
    this.#blocks.take();
  }

  /** Tail and start of the chunk, to find a dot across both; `null` when none of the bytes is a dot or NUL. */
  #jointWith(chunk: Buffer): Buffer | null {
    const isPlain = chunk.length >= TAIL_BYTES && !hasDotOrNulSoon(this.#tail) && !hasDotOrNulSoon(chunk);
    return isPlain ? null : Buffer.concat([this.#tail, chunk.subarray(0, TAIL_BYTES)]);
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#maxBytes + 3) this.#fail("too_large");
    if (this.#failure !== null) return;
    if (!this.#budget.take(part.length)) return this.#fail("over_budget");
    this.#held += part.length;
    this.#blocks.push(part);
  }

  #fail(reason: "too_large" | "over_budget" | "smuggling"): void {
    this.#failure ??= reason;
    this.release();
  }

  #checkForSmuggling(joint: Buffer | null, part: Buffer, hasDot: boolean): void {
    if (this.#failure !== null) return;
    const isLooseInJoint = joint !== null && (hasLooseDot(joint) || hasLooseNul(joint));
    if (isLooseInJoint || (hasDot && hasLooseDot(part)) || hasLooseNul(part)) this.#fail("smuggling");
  }

  #finish(): DataResult {
    if (this.#failure !== null) return { kind: this.#failure };
    const chunks = this.#blocks.take();
    const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    return { kind: "message", bytes: whole.subarray(0, whole.length - 3) };
  }
}

function hasDotOrNulSoon(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, TAIL_BYTES);
  for (let at = 0; at < length; at++) if (bytes[at] === DOT || bytes[at] === 0) return true;
  return false;
}

function endIn(chunk: Buffer): number {
  const at = chunk.indexOf(END);
  return at < 0 ? -1 : at + END.length;
}

/** Finds a NUL at a line start, where text has none: hosts that drop NULs would see a lone dot. */
function hasLooseNul(bytes: Buffer): boolean {
  return bytes.indexOf(0) >= 0 && ["\n\0", "\r\0", "\n.\0"].some((start) => bytes.indexOf(start, 0, "latin1") >= 0);
}

/** Dots at line starts to search one by one; each search costs as much as some 150 bytes of text. */
const DOTS_MAX = 64;
/** Finds the same dots after a line feed as `hasLooseDot`, at a lower cost for input that is mostly dots. */
const LOOSE_DOT = /[^\r]\n\.|\n\.(?:\n|\r[^\n])/;

/** Finds a dot after a bare LF or CR, or a lone dot whose line ends in a bare LF or CR. */
function hasLooseDot(bytes: Buffer): boolean {
  if (bytes.indexOf(CR_DOT) >= 0) return true;
  let seen = 0;
  for (let at = bytes.indexOf(LF_DOT); at >= 0; at = bytes.indexOf(LF_DOT, at + 2)) {
    if (++seen > DOTS_MAX) return LOOSE_DOT.test(bytes.toString("latin1", at - 1));
    if (at > 0 && bytes[at - 1] !== CR) return true;
    if (isLooseEnd(bytes, at + 2)) return true;
  }
  return false;
}

function isLooseEnd(bytes: Buffer, at: number): boolean {
  if (bytes[at] === LF) return true;
  return bytes[at] === CR && at + 1 < bytes.length && bytes[at + 1] !== LF && bytes[at - 1] === DOT;
}
