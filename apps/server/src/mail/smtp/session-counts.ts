/**
 * Counts a session's errors, commands and recipients against `session-limits.ts`. Each `isTooMany…` method counts one
 * more and returns whether the limit is exceeded.
 */
import { COMMANDS_MAX, ERRORS_MAX, EXTRA_RECIPIENTS_MAX } from "./session-limits.ts";

export class SessionCounts {
  #errors = 0;
  #commands = 0;
  #extraRecipients = 0;

  isTooManyErrors(): boolean {
    return ++this.#errors >= ERRORS_MAX;
  }

  isTooManyCommands(): boolean {
    return ++this.#commands > COMMANDS_MAX;
  }

  /** Counts a recipient beyond those a message may have. */
  isTooManyRecipients(): boolean {
    return ++this.#extraRecipients > EXTRA_RECIPIENTS_MAX;
  }

  /** Resets the counts at the end of a message. Errors are counted for the whole session. */
  noteMessage(): void {
    this.#commands = 0;
    this.#extraRecipients = 0;
  }
}
