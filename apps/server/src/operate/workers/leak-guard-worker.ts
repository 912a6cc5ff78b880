/**
 * The process in which the leak guard searches, one message at a time. Next is always a message of the account that used the
 * least of the process lately: an account that sends much, or archives that take seconds, delays its own mail. A message that
 * could not be searched does not leave: its sender gets a temporary refusal.
 */
import { AppError } from "../../core/app-error.ts";
import { FairQueue } from "../../core/fair-queue/fair-queue.ts";
import type { GuardedContent, LeakAnswer, LeakGuard } from "../../core/leak-guard/leak-guard.ts";
import { ChildWorker, type ChildWorkerOptions } from "./child-worker.ts";

export interface LeakGuardOptions extends ChildWorkerOptions {
  /** Questions that wait for an answer, of all accounts and of one. */
  waitingMax: number;
  waitingOfAccountMax: number;
}

export interface ClosableLeakGuard extends LeakGuard {
  /** What waits or runs is answered `unavailable`. */
  close(): Promise<void>;
}

/** What the process is asked, and what it answers when nothing was found; `null` would mean that it broke. */
export interface LeakOrder {
  mailboxes: readonly string[];
  content: { kind: "message"; bytes: Uint8Array } | { kind: "text"; text: string };
}
export const NOTHING_FOUND = "nothing";

const production: LeakGuardOptions = {
  program: new URL("./leak-guard-process.ts", import.meta.url),
  // Strings only: bytes are not of this heap.
  heapMaxMib: 384,
  // The longest known search of 25 MiB takes a third of it.
  deadlineMs: 20_000,
  startMs: 30_000,
  idleMs: 30_000,
  waitingMax: 64,
  waitingOfAccountMax: 4,
};

export function leakGuardWorker(options: Partial<LeakGuardOptions> = {}): ClosableLeakGuard {
  const settings = { ...production, ...options };
  const child = new ChildWorker(settings);
  const queue = new FairQueue({
    concurrency: 1,
    waitingMax: settings.waitingMax,
    waitingOfPartyMax: settings.waitingOfAccountMax,
    now: () => performance.now(),
  });

  return {
    async search({ userId, mailboxes, content }) {
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

/** The process' answer when the search threw what nobody planned. */
export const BROKEN = "broken";

/** Joined when its turn has come, so that waiting costs no second copy. */
function toOrder(content: GuardedContent): LeakOrder["content"] {
  return content.kind === "text" ? content : { kind: "message", bytes: Buffer.concat(content.chunks) };
}
