/**
 * Runs the leak guard's searches in a child process, one at a time; short texts without encoded data, nearly all that
 * are typed, on the event loop. The next search is of the account that used the
 * least of the worker's time recently, so that many messages, or archives that take seconds, delay only their own
 * account. A message that could not be searched is not sent: its sender gets a temporary failure.
 */
import { searchQuickly } from "@kauke/leak-guard";
import { AppError } from "../../core/app-error.ts";
import type { GuardedContent, LeakAnswer, LeakGuard } from "../../core/leak-guard.ts";
import {
  ChildWorker,
  type ChildWorkerOptions,
  type WorkerQueueOptions,
  workerQueue,
} from "../../runtime/threads/child-worker.ts";

export type LeakGuardOptions = ChildWorkerOptions & WorkerQueueOptions;

export interface ClosableLeakGuard extends LeakGuard {
  /** Waiting and running searches fail with `unavailable`. */
  close(): Promise<void>;
}

/**
 * A search order to the child process. Its answer is NOTHING_FOUND if there is no leak, because `null` would mean that
 * the process failed.
 */
export interface LeakOrder {
  mailboxes: readonly string[];
  content: { kind: "message"; bytes: Uint8Array } | Exclude<GuardedContent, { kind: "message" }>;
}
export const NOTHING_FOUND = "nothing";

const production: LeakGuardOptions = {
  program: new URL("./leak-guard-process.ts", import.meta.url),
  // Only strings count towards this heap; byte buffers are outside it.
  heapMaxMib: 384,
  // Three times the longest search of a 25 MiB message that was ever measured.
  deadlineMs: 20_000,
  startMs: 30_000,
  idleMs: 30_000,
  waitingMax: 64,
  waitingOfAccountMax: 4,
};

export function leakGuardWorker(options: Partial<LeakGuardOptions> = {}): ClosableLeakGuard {
  const settings = { ...production, ...options };
  const child = new ChildWorker(settings);
  const queue = workerQueue(settings);

  return {
    async search({ userId, mailboxes, content }) {
      if (content.kind !== "message") {
        const found = searchQuickly(content, mailboxes);
        if (found !== "unsure") return found;
      }
      const answer = await queue.run({ party: userId }, () => {
        const order: LeakOrder = { mailboxes, content: toOrder(content) };
        return child.ask(order);
      });
      if (answer === NOTHING_FOUND) return null;
      if (answer === null || answer === BROKEN) throw new AppError("unavailable");
      return answer as LeakAnswer;
    },
    async close() {
      queue.close();
      await child.end();
    },
  };
}

/** The process' answer when a search failed unexpectedly. */
export const BROKEN = "broken";

/** The chunks are joined when the search starts, so that a waiting message needs no second copy. */
function toOrder(content: GuardedContent): LeakOrder["content"] {
  return content.kind === "message" ? { kind: "message", bytes: Buffer.concat(content.chunks) } : content;
}
