/**
 * What every header field that we write must be, whatever it was made from: UTF-8, lines of 998 octets at most, nothing in them
 * that could begin a line, no field but those that were meant. Read here without our own parser, which is kind.
 */

/** @returns what is wrong with these fields, in words; `null` when nothing is. @param names those that may be there, lower case, each once */
export function fieldFault(header: Buffer, names: readonly string[]): string | null {
  const text = decodedUtf8(header);
  if (text === null) return "is no UTF-8";
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
  if (/[\p{Cc}\u2028\u2029]/u.test(isFold ? line.slice(1) : line)) return "holds a control or a separator";
  if (isFold) return /^[ \t]*$/.test(line) ? "has a line of white space" : null;
  const name = /^([A-Za-z0-9-]+): /.exec(line)?.[1]?.toLowerCase();
  if (name === undefined) return "has a line that is no field";
  const at = names.indexOf(name);
  if (at < 0) return `has a field ${name} that nobody meant`;
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
/** Up to here every code point is taken even in a sample: all controls, separators and scripts of many letters lie below. */
const DENSE_END = 0x2100;
/** A prime, so that every low byte comes up. */
const SAMPLE_STEP = 509;

/** Every code point, lone surrogates among them, as texts of so many each. */
export function everyCodePoint(inOneText: number): Generator<string> {
  return textsOf(inOneText, 1);
}

/** All of the first 8,448 code points and every 509th of the rest. */
export function sampleOfCodePoints(inOneText: number): Generator<string> {
  return textsOf(inOneText, SAMPLE_STEP);
}

function* textsOf(inOneText: number, step: number): Generator<string> {
  let text = "";
  let count = 0;
  for (let it = 0; it < CODE_POINTS_END; it += it < DENSE_END ? 1 : step) {
    // Two surrogates side by side would be one letter.
    text += isSurrogate(it) ? `${String.fromCodePoint(it)}a` : String.fromCodePoint(it);
    count += 1;
    if (count % inOneText !== 0) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;
