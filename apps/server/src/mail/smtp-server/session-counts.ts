/** What one SMTP session has asked for, against the limits of `session-limits.ts`. Each method counts one and says when it is too many. */
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

  /** A recipient beyond those that a message may have. */
  isTooManyRecipients(): boolean {
    return ++this.#extraRecipients > maxExtraRecipients;
  }

  /** A message came to its end. Errors are counted for the whole session. */
  noteMessage(): void {
    this.#commands = 0;
    this.#extraRecipients = 0;
  }
}
