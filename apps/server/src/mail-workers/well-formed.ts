/**
 * Checks the form of the messages that a mail worker sends to the owner. A worker reads what strangers send: one that a
 * hostile message has taken over must not be able to crash the owner with a malformed message.
 */
import type { LaunchedWorker } from "./launch-worker.ts";
import type { ToOwner } from "./messages.ts";

/** @returns the worker with a link that passes on well-formed messages; the first malformed one ends the worker */
export function wellFormed({ link, pid, kill }: LaunchedWorker): LaunchedWorker {
  const listeners: ((message: ToOwner) => void)[] = [];
  let isRefused = false;
  link.onMessage((message: unknown) => {
    if (isRefused) return;
    if (isToOwner(message)) for (const listener of listeners) listener(message);
    else {
      isRefused = true;
      kill();
    }
  });
  const onMessage = (listener: (message: ToOwner) => void) => void listeners.push(listener);
  return { link: { send: (message) => link.send(message), onClose: (it) => link.onClose(it), onMessage }, pid, kill };
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => Number.isFinite(value);
const isPort: Check = (value) => value === null || isNumber(value);
const isPlain: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts: Check = (value) => isPlain(value) && Object.values(value as object).every(isText);
const listOf =
  (...checks: Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.every((row) => isRow(row, checks));
const isRow = (row: unknown, checks: readonly Check[]) =>
  Array.isArray(row) && row.length === checks.length && checks.every((isValid, index) => isValid(row[index]));
const isPorts: Check = (value) =>
  isPlain(value) && ["mx", "submission", "submissions"].every((name) => isPort((value as never)[name]));

/** Checks of a message's fields, by the kind of the message. */
const fields: Readonly<Record<ToOwner["kind"], Readonly<Record<string, Check>>>> = {
  ready: { ports: isPorts },
  failed: { code: isText, port: isPort },
  call: { id: isNumber, part: isText, method: isText, args: Array.isArray },
  dropped: { id: isNumber },
  trace: { messageId: isText, step: isPlain },
  counts: { counts: listOf(isText, isTexts, isNumber), gauges: listOf(isText, isNumber) },
  shares: { batch: listOf(isText, isText, isNumber) },
  pong: {},
  stopped: {},
};
const fieldsByKind = new Map<unknown, Readonly<Record<string, Check>>>(Object.entries(fields));

export function isToOwner(message: unknown): message is ToOwner {
  const { kind } = Object(message) as { kind?: unknown };
  const checks = fieldsByKind.get(kind);
  if (checks === undefined) return false;
  for (const name in checks) if (!checks[name]?.((message as Record<string, unknown>)[name])) return false;
  return true;
}
