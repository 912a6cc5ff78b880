/** Work that takes much memory while it runs: one at a time in this process, a few wait, more are turned away. */
import { AppError } from "../core/app-error.ts";

/** @returns runs work in turn; throws AppError `busy` when so many wait already */
export function oneAfterAnother(waitingMax: number): <T>(work: () => Promise<T>) => Promise<T> {
  let line: Promise<unknown> = Promise.resolve();
  let inLine = 0;
  return async (work) => {
    if (inLine > waitingMax) throw new AppError("busy");
    inLine++;
    const done = line.then(work).finally(() => inLine--);
    line = done.catch(() => {});
    return done;
  };
}
