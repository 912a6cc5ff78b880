/** Work that begins when its call has been answered, so that nobody learns from the answer's time whether there was any. */
import type { Logger } from "../core/ports.ts";

export interface LaterWork {
  /** @param failureEvent what the log says when the work throws */
  run(failureEvent: string, work: () => Promise<void>): void;
  /** Everything begun so far is over. */
  settled(): Promise<void>;
}

export function laterWork(logger: Logger): LaterWork {
  const running = new Set<Promise<void>>();
  return {
    run(failureEvent, work) {
      const done = new Promise((begin) => setImmediate(begin))
        .then(work)
        .catch(() => logger.error(failureEvent))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
