/** Runs a job periodically, never twice at once; a failure is logged. */
import type { Logger } from "../../runtime/ports.ts";

export interface BackgroundJob {
  stop(): Promise<void>;
}

export function runEvery(options: {
  firstAfterMs: number;
  everyMs: number;
  failureEvent: string;
  logger: Logger | undefined;
  work(): Promise<unknown>;
}): BackgroundJob {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const run = async () => {
    try {
      await options.work();
    } catch (error) {
      options.logger?.error(options.failureEvent, { stack: error instanceof Error ? error.name : typeof error });
    }
    if (!stopped) plan(options.everyMs);
  };
  const plan = (afterMs: number) => {
    timer = setTimeout(() => {
      running = run();
    }, afterMs);
    timer.unref();
  };
  plan(options.firstAfterMs);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
