/**
 * A sender for load tests that keeps records: several concurrent sessions, each sending numbered messages one after
 * another until the server is gone. Messages that were not acknowledged are sent again under the same number, as a real
 * mail host would.
 */
import { connect } from "node:net";
import { stuff } from "@kauke/mail-rfc";
import { numberedMessage } from "./kill/numbered-mail.ts";
import { SmtpTalk } from "./smtp-talk.ts";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface SendRecords {
  /** Messages whose final dot was answered with 250. */
  readonly acknowledged: ReadonlySet<number>;
  /** How often each message was transmitted, at least partly, without a reply, so that it may have been accepted. */
  readonly unanswered: ReadonlyMap<number, number>;
  /** Number of replies with another code than the expected one, by code, e.g. `451`. */
  readonly refusals: ReadonlyMap<string, number>;
}

export interface LoadSenderOptions {
  sessions: number;
  addressOf(number: number): string;
  /** Called at each step of each message. */
  onMoment?: (moment: "accepting" | "committing" | "acknowledged") => void;
  /** Whether a session that lost its connection opens a new one, until `stop`. */
  reconnects?: boolean;
  /** Milliseconds between two messages of a session; none by default. */
  restMs?: number;
}

export class LoadSender {
  readonly #acknowledged = new Set<number>();
  readonly #unanswered = new Map<number, number>();
  readonly #refusals = new Map<string, number>();
  readonly #waiting: number[] = [];
  readonly #options: LoadSenderOptions;
  #last = 0;
  #stopping = false;

  constructor(options: LoadSenderOptions) {
    this.#options = options;
  }

  get records(): SendRecords {
    return { acknowledged: this.#acknowledged, unanswered: this.#unanswered, refusals: this.#refusals };
  }

  /**
   * Sends messages until `stop` is called or, unless sessions reconnect, until every session has lost its connection.
   * @returns immediately; `ended` resolves when the last session has ended
   */
  start(port: number): { ended: Promise<void>; stop(): void } {
    this.#stopping = false;
    const sessions = Array.from({ length: this.#options.sessions }, () => this.#sessions(port));
    const stop = () => {
      this.#stopping = true;
    };
    return { ended: Promise.all(sessions).then(() => {}), stop };
  }

  async #sessions(port: number): Promise<void> {
    do {
      const wasConnected = await this.#session(port);
      if (!wasConnected) await sleep(20);
    } while (this.#options.reconnects === true && !this.#stopping);
  }

  /** Sends messages over one connection until the server is gone. @returns false when the connection was refused */
  async #session(port: number): Promise<boolean> {
    const talk = await greeted(port);
    if (talk === null) return false;
    let number: number | null = null;
    let isHandedOver = false;
    try {
      await talk.ask("EHLO load.example");
      while (!this.#stopping) {
        number = this.#waiting.shift() ?? ++this.#last;
        isHandedOver = false;
        await this.#envelope(talk, number);
        isHandedOver = true;
        talk.send(stuff(numberedMessage(number)));
        talk.send(".\r\n");
        this.#options.onMoment?.("committing");
        this.#expect(await talk.reply(), "250");
        this.#acknowledged.add(number);
        number = null;
        this.#options.onMoment?.("acknowledged");
        if (this.#options.restMs !== undefined) await sleep(this.#options.restMs);
      }
      talk.send("QUIT\r\n");
    } catch (thrown) {
      if (number !== null) {
        this.#waiting.push(number);
        const isOpen = isHandedOver && !(thrown instanceof Refusal);
        if (isOpen) this.#unanswered.set(number, (this.#unanswered.get(number) ?? 0) + 1);
      }
    }
    talk.close();
    return true;
  }

  /** Sends the envelope in one write, as PIPELINING permits (RFC 2920). */
  async #envelope(talk: SmtpTalk, number: number): Promise<void> {
    talk.send(`MAIL FROM:<ann@example.org>\r\nRCPT TO:<${this.#options.addressOf(number)}>\r\nDATA\r\n`);
    this.#options.onMoment?.("accepting");
    for (const expected of ["250", "250", "354"]) this.#expect(await talk.reply(), expected);
  }

  /**
   * Checks the code of a reply, and counts an unexpected code. @throws Refusal if the reply has a code other than
   * `expected`
   */
  #expect(answer: string, expected: string): void {
    if (answer.startsWith(expected)) return;
    const code = answer.slice(0, 3);
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
    throw new Refusal(code);
  }
}

/**
 * Milliseconds a session waits for the greeting. If the server is killed while the kernel completes a connection, it
 * stays open at the client and is never answered. Mail hosts wait five minutes (RFC 5321 §4.5.3.2.1), then give up.
 */
const GREETING_MAX_MS = 15_000;

/** Connects and reads the greeting. @returns `null` when the connection is refused or no greeting arrives in time */
async function greeted(port: number): Promise<SmtpTalk | null> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const giveUp = setTimeout(() => socket.destroy(), GREETING_MAX_MS);
  const talk = await SmtpTalk.over(socket).catch(() => null);
  clearTimeout(giveUp);
  return talk;
}

class Refusal extends Error {}
