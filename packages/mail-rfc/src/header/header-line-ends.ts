/**
 * Decides once, before anything reads a message, where the lines of its header end. Cameras, scripts and contact forms
 * write bare line feeds; read strictly, their whole message would be one field. They become CRLF where every reader
 * agrees on the fields and on the end of the header; otherwise the message is refused.
 */
import { headerLimits } from "./headers.ts";

const HEADER_END = Buffer.from("\r\n\r\n");
const CRLF = Buffer.from("\r\n");
const CR = 0x0d;
const LF = 0x0a;
/** Maximum bytes of a body whose line ends are changed, which takes some 20 ms of the event loop. */
const BODY_MAX = 4 * 1024 * 1024;
/** Matches a line feed without a carriage return before it, or a carriage return without a line feed after it. */
const LOOSE = /(?:^|[^\r])\n|\r(?!\n)/;
/**
 * Matches a carriage return that some programs read as the end of a line and others as part of it, so that they see
 * different fields: before something like a field's name, or one of several. `\r\r\n` is a line end to all.
 */
const AMBIGUOUS = /\r(?!\n|\r\n)(?:\r|[!-9;-~]+[ \t]*:)/;
const FIELD_AFTER_CRLF = /\r\n[!-9;-~]+[ \t]*:/;
const LINE_END = /\r{0,2}\n/g;
/** Matches the blank line at the end of a header, whatever its line ends. */
const BLANK_LINE = /\n\r{0,2}\n/;

/**
 * Makes the line ends of a header CRLF, and those of a body of up to 4 MiB too if the message contains no CRLF at all.
 * @param wire the message, which ends in CRLF, with or without dot-stuffing
 * @returns the same buffer if there is nothing to change; `null` if programs would read different headers
 */
export function withHeaderLineEnds(wire: Buffer): Buffer | null {
  const strictEnd = wire.indexOf(HEADER_END);
  const textEnd = Math.min(strictEnd < 0 ? wire.length : strictEnd + HEADER_END.length, headerLimits.bytesMax + 1);
  const text = wire.toString("latin1", 0, textEnd);
  if (!LOOSE.test(text)) return wire;
  if (text.startsWith("\r\n")) return wire;
  const blank = BLANK_LINE.exec(text);
  const end = blank === null ? text.length : blank.index + blank[0].length;
  const header = text.slice(0, end);
  if (AMBIGUOUS.test(header)) return null;
  // Programs that end lines at CRLF alone read on, up to the blank line that they see.
  if (end !== textEnd && (header.includes("\r\n") || FIELD_AFTER_CRLF.test(text.slice(end)))) return null;
  const fixed = Buffer.from(header.replace(LINE_END, "\r\n"), "latin1");
  const body = wire.subarray(end);
  const isAllLoose =
    body.length <= BODY_MAX && !header.includes("\r\n") && body.indexOf(CRLF) >= body.length - CRLF.length;
  return Buffer.concat([fixed, isAllLoose ? withCrlf(body) : body]);
}

/** Works byte by byte: a replacement in a string takes tens of bytes of heap for each line end. */
function withCrlf(body: Buffer): Buffer {
  const isLoose = (at: number) => body[at] === LF && body[at - 1] !== CR;
  let loose = 0;
  for (let at = 0; at < body.length; at++) if (isLoose(at)) loose++;
  const out = Buffer.allocUnsafe(body.length + loose);
  for (let at = 0, to = 0; at < body.length; at++) {
    if (isLoose(at)) out[to++] = CR;
    out[to++] = body[at] as number;
  }
  return out;
}
