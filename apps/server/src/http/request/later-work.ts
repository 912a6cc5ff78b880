/** Runs work after the response, so that the response time does not show whether there is such work. */
import type { Logger, Random } from "../../runtime/ports.ts";

/** Maximum random delay in milliseconds; hardly noticeable to a user who waits for the mail. */
const MAX_DELAY_MS = 2000;

export interface LaterWork {
  run(failureEvent: string, work: () => Promise<void>): void;
  /** Without a random delay, the next request would be slower after such work (50 ms instead of 7) and so reveal it. */
  runAtRandomTime(failureEvent: string, work: () => Promise<void>): void;
  settled(): Promise<void>;
}

interface LaterParts {
  logger: Logger;
  random: Random;
  spreadMs?: number | undefined;
}

export function laterWork({ logger, random, spreadMs = MAX_DELAY_MS }: LaterParts): LaterWork {
  const running = new Set<Promise<void>>();
  const waiting = new Set<() => void>();
  const begin = (failureEvent: string, { after, work }: { after: Promise<unknown>; work: () => Promise<void> }) => {
    const done = after
      .then(work)
      .catch(() => logger.error(failureEvent))
      .finally(() => running.delete(done));
    running.add(done);
  };
  const randomDelay = () =>
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
    runAtRandomTime: (failureEvent, work) => begin(failureEvent, { after: randomDelay(), work }),
    async settled() {
      for (const end of waiting) end();
      await Promise.all(running);
    },
  };
}
