/**
 * What may be told of an unexpected throw: class names along the chain of causes, a system code, and the frames of our own
 * files. Never its message: a library's message can hold an address, a subject or a key.
 */
import { AppError } from "../../core/app-error.ts";
import type { LogFields } from "../../core/ports.ts";

const longestChain = 4;
const mostFrames = 12;

/** Log fields for any thrown value, e.g. `{ code: "ECONNRESET", stack: "Error < TypeError\n  send apps/server/src/…:12:3" }`. */
export function traceOf(thrown: unknown): Pick<LogFields, "code" | "stack"> {
  const chain = causesOf(thrown);
  const names = chain.map(classOf).join(" < ");
  const frames = chain.flatMap(ownFrames).slice(0, mostFrames);
  const code = chain.map(codeOf).find((found) => found !== null);
  return { ...(code === undefined ? {} : { code }), stack: [names, ...frames].join("\n  ") };
}

function causesOf(thrown: unknown): unknown[] {
  const chain = [thrown];
  let last = thrown;
  while (last instanceof Error && last.cause !== undefined && chain.length < longestChain) {
    last = last.cause;
    chain.push(last);
  }
  return chain;
}

function classOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const name = thrown.constructor.name;
  return /^[A-Za-z_]\w{0,60}$/.test(name) ? name : "Error";
}

/** Codes are words of a closed vocabulary by their form: ours, Node's (`ECONNRESET`, `ERR_…`) or PostgreSQL's (`23505`). */
function codeOf(thrown: unknown): string | null {
  if (thrown instanceof AppError) return thrown.code;
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  return typeof code === "string" && /^(?:E[A-Z0-9_]{2,60}|[0-9A-Z]{5})$/.test(code) ? code : null;
}

const frame =
  /^ {4}at (?:(?:async |new )*([\w$.<>#]{1,80}) (?:\[as [\w$]{1,60}\] )?\()?(?:async )?(?:file:\/\/)?(?:[\w./+~-]*\/)?((?:apps|packages)\/[a-z]+(?:-[a-z]+)*\/src\/[\w./-]{1,120}\.ts:\d+:\d+)\)?$/;

function ownFrames(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== "string") return [];
  const lines = afterMessage(thrown.stack, thrown.message).split("\n");
  return lines.flatMap((line) => {
    const [, where = "", place] = frame.exec(line) ?? [];
    return place === undefined ? [] : [`${where} ${place}`.trim()];
  });
}

/** A message may hold lines that look like frames; where it cannot be cut off exactly, no frame is believed. */
function afterMessage(stack: string, message: string): string {
  if (message === "") return stack.slice(stack.indexOf("\n") + 1);
  const start = stack.indexOf(message);
  return start === -1 ? "" : stack.slice(start + message.length);
}
