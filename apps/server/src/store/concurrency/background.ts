/** Runs a job again and again until it is stopped, never twice at a time; a failure is logged and the job tried again. */
import type { Logger } from "../../core/ports.ts";

export interface BackgroundJob {
  /** Waits for a run that is under way. */
  stop(): Promise<void>;
}

export function runEvery(options: {
  firstAfterMs: number;
  everyMs: number;
  /** Logged when `work` throws, e.g. `store_checkpoint_failed`. */
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
