/** Makes the worker whose child process builds the bodies of webhook calls. */
import { ChildWorker } from "../../../runtime/threads/child-worker.ts";

export function webhookBodyWorker(): ChildWorker {
  const program = new URL("./webhook-body-process.ts", import.meta.url);
  return new ChildWorker({ program, heapMaxMib: 256, deadlineMs: 1000, startMs: 30_000, idleMs: 30_000 });
}
