/**
 * Records the verdict of each mail stage for the latest messages. Preview mode only, in memory only, read by `npm run
 * mail:send`.
 */
import { BoundedMap } from "../../runtime/maps.ts";

export interface TraceStep {
  stage: "resolve" | "receive" | "screen" | "rewrite" | "deliver";
  /** Verdict or outcome of the stage, e.g. `accept`, `reject mail_loop`, `taken`. */
  verdict: string;
  detail: string;
}

const MESSAGES_MAX = 200;

export class MailTrace {
  readonly #byMessage = new BoundedMap<string, TraceStep[]>(MESSAGES_MAX);

  add(messageId: string, step: TraceStep): void {
    const steps = this.#byMessage.get(messageId) ?? [];
    steps.push(step);
    this.#byMessage.set(messageId, steps);
  }

  get(messageId: string): readonly TraceStep[] | null {
    return this.#byMessage.get(messageId) ?? null;
  }
}
