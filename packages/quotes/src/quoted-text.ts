/**
 * Decodes quoted-printable text (RFC 2045 §6.7) and records the source of each decoded byte, so that a part of the text
 * can be replaced while the rest keeps its encoding.
 */

import { type Span } from "@kauke/mail-rfc";

/**
 * Matches encoded octets and soft line breaks. Runs are limited in length: V8 overflows its stack on a run of
 * megabytes.
 */
const ENCODED = /(?:=[0-9a-f]{2}){1,60000}|=[ \t]{0,76}\r?\n/gi;
/** Maximum columns of a line, including the "=" of a soft line break. */
const COLUMNS = 76;

/** Start of a run of text in which `width` encoded characters stand for each decoded one; three in a run of `=XX`. */
interface Stretch {
  decoded: number;
  encoded: number;
  width: 1 | 3;
}

export class QuotedText {
  /** Decoded text, as Latin-1. */
  readonly decoded: string;
  readonly #encoded: string;
  readonly #stretches: Stretch[] = [{ decoded: 0, encoded: 0, width: 1 }];

  /** Decodes a quoted-printable text. @param encoded Latin-1; invalid escapes are kept literally */
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

  /**
   * Replaces ranges of the decoded text by a word.
   * @param spans ranges of `decoded`, in order, without overlap
   * @param word printable ASCII
   * @returns encoded text whose lines are within the limit
   */
  replace(spans: readonly Span[], word: string): string {
    const pieces: string[] = [];
    const quoted = word.replaceAll("=", "=3D");
    let [stretch, at, column, lineEnd] = [0, 0, 0, 0];
    const push = (piece: string) => {
      const lineStart = piece.lastIndexOf("\n");
      column = lineStart < 0 ? column + piece.length : piece.length - lineStart - 1;
      pieces.push(piece);
    };
    /** Maps an offset to the encoded text. A soft line break at the offset is skipped unless `isEnd`. */
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
      push(column + quoted.length + lineEnd - to <= COLUMNS ? quoted : betweenSoftBreaks(quoted));
      at = to;
    }
    return pieces.join("") + this.#encoded.slice(at);
  }
}

/** @returns the offset of the next line break; the length of the text when there is none */
function indexOfEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/** Puts a soft line break before and after a word, so that the surrounding lines do not grow. */
function betweenSoftBreaks(word: string): string {
  const chunks = word.match(/.{1,72}/g) ?? [];
  return `=\r\n${chunks.join("=\r\n")}=\r\n`;
}
