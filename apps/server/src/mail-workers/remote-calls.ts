/** Calls from a mail worker to the owner, and their answers. */
import { AppError } from "../core/app-error.ts";
import { ShortLivedMap } from "../core/short-lived.ts";
import type { Link } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";
import { errorFromData } from "./remote-error.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export type CallOwner = (part: string, method: string, args: unknown[]) => Promise<unknown>;

/**
 * @returns function that calls a method in the owner process; rejects with the owner's error, or with `unavailable`
 * when the owner has ended
 */
export function remoteCalls(link: Link<ToOwner, ToWorker>): CallOwner {
  const waiting = new ShortLivedMap<number, Waiting>();
  let lastId = 0;
  let isClosed = false;
  const take = (id: number) => {
    const one = waiting.get(id);
    waiting.delete(id);
    return one;
  };
  link.onMessage((message) => {
    if (message.kind === "answer") take(message.id)?.resolve(message.value);
    else if (message.kind === "error") take(message.id)?.reject(errorFromData(message.error));
  });
  link.onClose(() => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(new AppError("unavailable"));
    waiting.clear();
  });
  return (part, method, args) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new AppError("unavailable"));
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      link.send({ kind: "call", id, part, method, args });
    });
}
