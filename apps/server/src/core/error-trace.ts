/** Loggable parts of an unexpected error; never its message, which can contain an address, a subject or a key. */

import type { LogFields } from "../runtime/ports.ts";
import { asAppError } from "./app-error.ts";

const CHAIN_MAX = 4;
const FRAMES_MAX = 12;

/** E.g. `{ code: "ECONNRESET", stack: "Error < TypeError send apps/…:12:3" }`. */
export function traceOf(thrown: unknown): Pick<LogFields, "code" | "stack"> {
  const chain = causesOf(thrown);
  const names = chain.map(classOf).join(" < ");
  const frames = chain.flatMap(ownFrames).slice(0, FRAMES_MAX);
  const code = chain.map(codeOf).find((found) => found !== null);
  return { ...(code === undefined ? {} : { code }), stack: [names, ...frames].join("\n  ") };
}

function causesOf(thrown: unknown): unknown[] {
  const chain = [thrown];
  let last = thrown;
  while (last instanceof Error && last.cause !== undefined && chain.length < CHAIN_MAX) {
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

/** Codes of three forms: ours, Node's (`ECONNRESET`, `ERR_…`) and PostgreSQL's (`23505`). */
function codeOf(thrown: unknown): string | null {
  const expected = asAppError(thrown);
  if (expected !== null) return expected.code;
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

/** Drops all frames if the message can't be cut off exactly, because it may contain lines that look like frames. */
function afterMessage(stack: string, message: string): string {
  if (message === "") return stack.slice(stack.indexOf("\n") + 1);
  const start = stack.indexOf(message);
  return start === -1 ? "" : stack.slice(start + message.length);
}
