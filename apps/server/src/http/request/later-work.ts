/** Work that begins when its call has been answered, so that the answer's time tells nobody whether there is some. */
import type { Logger, Random } from "../../core/ports.ts";

/** Whoever waits for the work's message in front of a screen hardly notices. */
const SPREAD_MS = 2000;

export interface LaterWork {
  /** @param failureEvent what the log says when the work throws */
  run(failureEvent: string, work: () => Promise<void>): void;
  /**
   * The same at a moment nobody can foresee: an answer that comes next would wait behind the work, and its time would tell
   * (measured: 7 ms without work before it, 50 ms with).
   */
  runUnforeseen(failureEvent: string, work: () => Promise<void>): void;
  /** Everything begun so far is over; what still waits begins now. */
  settled(): Promise<void>;
}

interface LaterParts {
  logger: Logger;
  random: Random;
  spreadMs?: number | undefined;
}

export function laterWork({ logger, random, spreadMs = SPREAD_MS }: LaterParts): LaterWork {
  const running = new Set<Promise<void>>();
  const waiting = new Set<() => void>();
  const begin = (failureEvent: string, { after, work }: { after: Promise<unknown>; work: () => Promise<void> }) => {
    const done = after
      .then(work)
      .catch(() => logger.error(failureEvent))
      .finally(() => running.delete(done));
    running.add(done);
  };
  const moment = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, (spreadMs * random.bytes(2).readUInt16BE()) / 0x1_00_00);
      waiting.add(end);
    });
  return {
    run: (failureEvent, work) => begin(failureEvent, { after: new Promise((resolve) => setImmediate(resolve)), work }),
    runUnforeseen: (failureEvent, work) => begin(failureEvent, { after: moment(), work }),
    async settled() {
      for (const end of waiting) end();
      await Promise.all(running);
    },
  };
}
