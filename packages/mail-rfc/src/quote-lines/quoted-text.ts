/**
 * Quoted-printable text (RFC 2045 §6.7) that remembers where each decoded byte came from, so that a part of it can be replaced and
 * the rest stays as it was encoded.
 */
import type { Span } from "./own-addresses.ts";

/** Where encoded octets begin or a soft line break lies. Runs are limited: V8 runs out of stack for one of megabytes. */
const ENCODED = /(?:=[0-9a-f]{2}){1,60000}|=[ \t]{0,76}\r?\n/gi;
/** Columns of a line, a soft line break's sign included. */
const COLUMNS = 76;

/** From here on, until the next one, `width` encoded characters stand for each decoded one. */
interface Stretch {
  decoded: number;
  encoded: number;
  width: 1 | 3;
}

export class QuotedText {
  /** Latin-1. */
  readonly decoded: string;
  readonly #encoded: string;
  readonly #stretches: Stretch[] = [{ decoded: 0, encoded: 0, width: 1 }];

  /** @param encoded Latin-1; what is no such encoding stands for itself */
  constructor(encoded: string) {
    const pieces: string[] = [];
    let [at, length] = [0, 0];
    for (const { 0: run, index } of encoded.matchAll(ENCODED)) {
      const plain = encoded.slice(at, index);
      const octets = run.endsWith("\n") ? "" : Buffer.from(run.replaceAll("=", ""), "hex").toString("latin1");
      pieces.push(plain, octets);
      length += plain.length;
      if (octets !== "") this.#stretches.push({ decoded: length, encoded: index, width: 3 });
      length += octets.length;
      at = index + run.length;
      this.#stretches.push({ decoded: length, encoded: at, width: 1 });
    }
    pieces.push(encoded.slice(at));
    this.#encoded = encoded;
    this.decoded = pieces.join("");
  }

  /** @param spans of `decoded`, in order, not overlapping @param word printable ASCII @returns encoded, lines no longer than may be */
  replace(spans: readonly Span[], word: string): string {
    const pieces: string[] = [];
    const quoted = word.replaceAll("=", "=3D");
    let [stretch, at, column, lineEnd] = [0, 0, 0, 0];
    const push = (piece: string) => {
      const lineStart = piece.lastIndexOf("\n");
      column = lineStart < 0 ? column + piece.length : piece.length - lineStart - 1;
      pieces.push(piece);
    };
    /** The last of several at the same place: behind the soft line break, unless `isEnd`. */
    const toEncoded = (offset: number, isEnd: boolean) => {
      const isBehind = (next: Stretch | undefined) =>
        next !== undefined && (isEnd ? next.decoded < offset : next.decoded <= offset);
      while (isBehind(this.#stretches[stretch + 1])) stretch += 1;
      const { decoded, encoded, width } = this.#stretches[stretch] as Stretch;
      return encoded + (offset - decoded) * width;
    };
    for (const { start, end } of spans) {
      const from = toEncoded(start, false);
      const to = toEncoded(end, true);
      push(this.#encoded.slice(at, from));
      if (lineEnd < to || lineEnd === 0) lineEnd = indexOfEnd(this.#encoded, to);
      push(column + quoted.length + lineEnd - to <= COLUMNS ? quoted : onLinesOfItsOwn(quoted));
      at = to;
    }
    return pieces.join("") + this.#encoded.slice(at);
  }
}

/** @returns the offset of the next line break, the length where there is none */
function indexOfEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/** Between soft line breaks, so that the lines around it do not grow. */
function onLinesOfItsOwn(word: string): string {
  const chunks = word.match(/.{1,72}/g) ?? [];
  return `=\r\n${chunks.join("=\r\n")}=\r\n`;
}
