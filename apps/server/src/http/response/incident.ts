/** What is logged of an unexpected error: its class and our own stack frames, never its message. */

const FRAME = /^\s+at (?:async )?(?:([\w$.<>#]{1,80}) )?\S*?((?:apps|packages)\/[\w./-]+\.ts:\d+:\d+)\)?$/;

/**
 * @returns the error's class and at most six stack frames, e.g.
 * `TypeError\n  aliasToWire apps/server/src/http/aliases/wire.ts:12:3`
 */
export function incidentTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const name = /^[A-Za-z]\w{0,60}$/.test(thrown.constructor.name) ? thrown.constructor.name : "Error";
  const frames = linesAfterMessage(thrown).flatMap((line) => {
    const [, where = "", place] = FRAME.exec(line) ?? [];
    return place === undefined ? [] : [`${where} ${place}`.trim()];
  });
  return [name, ...frames.slice(0, 6)].join("\n  ");
}

/**
 * In a stack, the error's message comes before the frames. It may span lines and imitate frames, so it is cut off as a
 * whole.
 */
function linesAfterMessage({ stack = "", message }: Error): string[] {
  const start = stack.indexOf(message);
  return start === -1 ? [] : stack.slice(start + message.length).split("\n");
}
