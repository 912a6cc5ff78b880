/**
 * Checks properties of every header field that we write, whatever its input: UTF-8, lines of at most 998 octets,
 * nothing within a line that could begin another one, and no fields but the intended ones. Does not use our own parser,
 * which is lenient.
 */

/**
 * Checks the fields of a header.
 * @returns a description of the first fault; `null` when there is none
 * @param names permitted field names in lower case, each at most once
 */
export function fieldFault(header: Buffer, names: readonly string[]): string | null {
  const text = decodedUtf8(header);
  if (text === null) return "is not valid UTF-8";
  if (text === "") return null;
  if (!text.endsWith("\r\n")) return "does not end its last line";
  const left = [...names];
  for (const [index, line] of text.slice(0, -2).split("\r\n").entries()) {
    const fault = lineFault(line, index === 0, left);
    if (fault !== null) return fault;
  }
  return null;
}

function lineFault(line: string, isFirst: boolean, names: string[]): string | null {
  if (Buffer.byteLength(line) > 998) return "has a line that is too long";
  const isFold = !isFirst && /^[ \t]/.test(line);
  if (/[\p{Cc}\u2028\u2029]/u.test(isFold ? line.slice(1) : line)) return "contains a control character or a separator";
  if (isFold) return /^[ \t]*$/.test(line) ? "has a line of white space" : null;
  const name = /^([A-Za-z0-9-]+): /.exec(line)?.[1]?.toLowerCase();
  if (name === undefined) return "has a line that is not a field";
  const at = names.indexOf(name);
  if (at < 0) return `has an unexpected field ${name}`;
  names.splice(at, 1);
  return null;
}

function decodedUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const CODE_POINTS_END = 0x110000;
/**
 * End of the range in which every code point is part of a sample: it contains all controls, separators and scripts of
 * many letters.
 */
const DENSE_END = 0x2100;
/** Distance between code points of a sample; a prime, so that every low byte occurs. */
const SAMPLE_STEP = 509;

/** Yields every code point, including lone surrogates, as texts of the given number of code points. */
export function everyCodePoint(inOneText: number): Generator<string> {
  return textsOf(inOneText, 1);
}

/** Yields all of the first 8,448 code points and every 509th of the rest. */
export function sampleOfCodePoints(inOneText: number): Generator<string> {
  return textsOf(inOneText, SAMPLE_STEP);
}

function* textsOf(inOneText: number, step: number): Generator<string> {
  let text = "";
  let count = 0;
  for (let codePoint = 0; codePoint < CODE_POINTS_END; codePoint += codePoint < DENSE_END ? 1 : step) {
    // A letter follows each surrogate, because two adjacent surrogates could form one character.
    text += isSurrogate(codePoint) ? `${String.fromCodePoint(codePoint)}a` : String.fromCodePoint(codePoint);
    count += 1;
    if (count % inOneText !== 0) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;
