/**
 * Counts a session's requests against `session-limits.ts`. Each method counts one and returns whether it is too many.
 */
import { maxCommands, maxErrors, maxExtraRecipients } from "./session-limits.ts";

export class SessionCounts {
  #errors = 0;
  #commands = 0;
  #extraRecipients = 0;

  isTooManyErrors(): boolean {
    return ++this.#errors >= maxErrors;
  }

  isTooManyCommands(): boolean {
    return ++this.#commands > maxCommands;
  }

  /** Counts a recipient beyond those a message may have. */
  isTooManyRecipients(): boolean {
    return ++this.#extraRecipients > maxExtraRecipients;
  }

  /** Resets the counts at the end of a message. Errors are counted for the whole session. */
  noteMessage(): void {
    this.#commands = 0;
    this.#extraRecipients = 0;
  }
}
