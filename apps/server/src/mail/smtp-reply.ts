/** Parses SMTP replies (RFC 5321 §4.2) with limits against hostile peers; `classify-reply.ts` interprets them. */
export interface PeerReply {
  code: number;
  /** Of the last line (RFC 3463), e.g. `5.1.1`. */
  enhancedStatus: string | null;
  /** Text lines, which may contain an address: never log them or pass them on. */
  lines: readonly string[];
}

const MAX_LINE_BYTES = 2048;
const MAX_LINES = 100;
const LINE = /^([2-5][0-9]{2})(?:([ -])([^]*))?$/;
const ENHANCED_STATUS = /^[245]\.[0-9]{1,3}\.[0-9]{1,3}(?![^ ])/;
const NO_BYTES = Buffer.alloc(0);

export class ReplyReader {
  #rest: Buffer = NO_BYTES;
  #code = 0;
  #lines: string[] = [];

  get isMidway(): boolean {
    return this.#rest.length > 0 || this.#lines.length > 0;
  }

  /** @returns the completed replies; `null` when the bytes are no SMTP reply or exceed a limit */
  push(chunk: Buffer): PeerReply[] | null {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const replies: PeerReply[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      if (end - start > MAX_LINE_BYTES || !this.#line(bytes, start, end, replies)) return null;
      start = end + 1;
    }
    if (bytes.length - start > MAX_LINE_BYTES) return null;
    this.#rest = start === bytes.length ? NO_BYTES : Buffer.from(bytes.subarray(start));
    return replies;
  }

  #line(bytes: Buffer, start: number, end: number, replies: PeerReply[]): boolean {
    const match = LINE.exec(bytes.toString("latin1", start, bytes[end - 1] === 13 ? end - 1 : end));
    if (match === null || this.#lines.length >= MAX_LINES) return false;
    const code = Number(match[1]);
    if (this.#lines.length > 0 && code !== this.#code) return false;
    this.#code = code;
    this.#lines.push(match[3] ?? "");
    if (match[2] !== "-") replies.push(this.#finish());
    return true;
  }

  #finish(): PeerReply {
    const lines = this.#lines;
    this.#lines = [];
    return { code: this.#code, enhancedStatus: ENHANCED_STATUS.exec(lines.at(-1) ?? "")?.[0] ?? null, lines };
  }
}
