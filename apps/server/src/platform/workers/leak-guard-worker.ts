/** The leak guard's searches, in a child process unless the text is short. Unsearched messages are not sent. */

import { findSpans, searchQuickly } from "@kauke/leak-guard";
import { AppError } from "../../core/app-error.ts";
import type { FoundLeak, GuardedContent, LeakGuard } from "../../core/leak-guard.ts";
import { bounds } from "../../limits/table.ts";
import { SharedChild, type SharedChildOptions } from "../../runtime/threads/child-worker.ts";

export interface ClosableLeakGuard extends LeakGuard {
  close(): Promise<void>;
}

export interface LeakOrder {
  mailboxes: readonly string[];
  content: { kind: "message"; bytes: Uint8Array } | Exclude<GuardedContent, { kind: "message" }>;
}
export interface LeakReply {
  found: FoundLeak | null;
}

const production: SharedChildOptions = {
  program: new URL("./leak-guard-process.ts", import.meta.url),
  // Only strings count towards this heap, not byte buffers.
  heapMaxMib: 384,
  // Three times the longest measured search of a 25 MiB message.
  deadlineMs: bounds.leakSearches.deadlineMs,
  startMs: 30_000,
  idleMs: 30_000,
  waitingMax: bounds.leakSearches.waiting,
  waitingOfAccountMax: bounds.leakSearches.account,
};

export function leakGuardWorker(options: Partial<SharedChildOptions> = {}): ClosableLeakGuard {
  const child = new SharedChild({ ...production, ...options });
  return {
    async search({ userId, mailboxes, content }) {
      if (content.kind !== "message") {
        const found = searchQuickly(content, mailboxes);
        if (found !== "unsure") return withSpans(found, content.text, mailboxes);
      }
      const reply = await child.ask(userId, (): LeakOrder => ({ mailboxes, content: toOrder(content) }));
      if (reply === null) throw new AppError("unavailable");
      return (reply as LeakReply).found;
    },
    close: () => child.close(),
  };
}

/** A text may be searched here in milliseconds, since it is a line or at most 16,384 characters. */
function withSpans(found: FoundLeak | null, text: string, mailboxes: readonly string[]): FoundLeak | null {
  if (found === null) return null;
  const spans = findSpans(text, mailboxes);
  return { leak: found.leak, place: found.place, ...(spans.length > 0 && { spans }) };
}

/** Called when the search starts, so that a waiting message has no second copy in memory. */
function toOrder(content: GuardedContent): LeakOrder["content"] {
  return content.kind === "message" ? { kind: "message", bytes: Buffer.concat(content.chunks) } : content;
}
