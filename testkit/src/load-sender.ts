/**
 * A sender under load that keeps books: several sessions at once, each sending numbered messages one after another, until
 * the server is gone. What was not acknowledged is sent again under the same number, as a real mail host would.
 */

import { stuff } from "@kauke/mail-rfc";
import { numberedMessage } from "./numbered-mail.ts";
import { smtpTalk } from "./smtp-talk.ts";

export interface LoadBooks {
  /** The final dot was answered with 250. */
  readonly acknowledged: ReadonlySet<number>;
  /** Handed over, wholly or in part, and no answer came: it may have been taken or not, at every time it is listed. */
  readonly unanswered: ReadonlySet<number>;
  /** Answers that were neither 2xx nor 3xx, by code, e.g. `451`. */
  readonly refusals: ReadonlyMap<string, number>;
}

export class LoadSender {
  readonly #acknowledged = new Set<number>();
  readonly #unanswered = new Set<number>();
  readonly #refusals = new Map<string, number>();
  readonly #waiting: number[] = [];
  readonly #options: { sessions: number; addressOf(number: number): string };
  #last = 0;
  #stopping = false;

  constructor(options: { sessions: number; addressOf(number: number): string }) {
    this.#options = options;
  }

  get books(): LoadBooks {
    return { acknowledged: this.#acknowledged, unanswered: this.#unanswered, refusals: this.#refusals };
  }

  /**
   * Sends until every session lost its connection or `stop` is called.
   * @returns at once; `ended` resolves when the last session is over
   */
  start(port: number): { ended: Promise<void>; stop(): void } {
    this.#stopping = false;
    const sessions = Array.from({ length: this.#options.sessions }, () => this.#session(port));
    const stop = () => {
      this.#stopping = true;
    };
    return { ended: Promise.all(sessions).then(() => {}), stop };
  }

  async #session(port: number): Promise<void> {
    const talk = await smtpTalk(port).catch(() => null);
    if (talk === null) return;
    let number: number | null = null;
    let isHandedOver = false;
    try {
      await talk.ask("EHLO load.example");
      while (!this.#stopping) {
        number = this.#waiting.shift() ?? ++this.#last;
        isHandedOver = false;
        await this.#ask(talk, "MAIL FROM:<ann@example.org>", "250");
        await this.#ask(talk, `RCPT TO:<${this.#options.addressOf(number)}>`, "250");
        await this.#ask(talk, "DATA", "354");
        isHandedOver = true;
        talk.send(stuff(numberedMessage(number)));
        await this.#ask(talk, ".", "250");
        this.#acknowledged.add(number);
        number = null;
      }
      talk.send("QUIT\r\n");
    } catch (thrown) {
      if (number !== null) {
        this.#waiting.push(number);
        if (isHandedOver && !(thrown instanceof Refusal)) this.#unanswered.add(number);
      }
    }
    talk.close();
  }

  /** Sends one line. @throws Refusal for another code than `expected` */
  async #ask(talk: { ask(line: string): Promise<string> }, line: string, expected: string): Promise<void> {
    const answer = await talk.ask(line);
    if (answer.startsWith(expected)) return;
    const code = answer.slice(0, 3);
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
    throw new Refusal(code);
  }
}

class Refusal extends Error {}
