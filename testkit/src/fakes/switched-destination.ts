/**
 * A destination host that can fail in the ways hosts fail, and records which numbered messages it accepted and when.
 */

import { readNumber } from "../kill/numbered-mail.ts";
import { FakeMx, type FakeMxAnswer, type FakeMxStep, type MailAtFakeMx } from "./fake-mx.ts";

/**
 * Kinds of failure. `full mailboxes` is a 4xx at RCPT that concerns one mailbox, so the server does not defer other
 * mail to the host because of it.
 */
export type Outage = "closed port" | "4xx at MAIL" | "full mailboxes" | "4xx at the dot" | "hangs up at the dot";

export const outages: readonly Outage[] = [
  "closed port",
  "4xx at MAIL",
  "full mailboxes",
  "4xx at the dot",
  "hangs up at the dot",
];
const stages: Partial<Record<Outage, FakeMxStep["stage"]>> = { "4xx at MAIL": "mail", "full mailboxes": "rcpt" };

type Behaviour = (step: FakeMxStep) => FakeMxAnswer | undefined;

const takenReply = "250 2.0.0 taken";
const SLOW_MS = 200;

/**
 * Lowest port used; below the range for outgoing connections, so that no other process takes the port while it is
 * closed.
 */
const LOWEST_PORT = 20_000;
const PORT_COUNT = 12_000;

export class SwitchedDestination {
  readonly port: number;
  /**
   * For each message number the eras in which the message was accepted; what counts is the era in which its connection
   * began.
   */
  readonly taken = new Map<number, number[]>();
  readonly damaged: string[] = [];
  /** Era recorded for accepted messages; the test increments it at every kill. */
  era = 0;
  /** Called with `delivering` when a body has been received but not answered, `settling` when it has been accepted. */
  onMoment: (moment: "delivering" | "settling") => void = () => {};
  /** Number of a message that is accepted but not recorded, to check that a loss would be detected. */
  withheld: number | null = null;
  #mx: FakeMx | null;
  #behaviour: Behaviour = () => undefined;

  private constructor(mx: FakeMx) {
    this.port = mx.port;
    this.#mx = this.#watched(mx);
  }

  static async start(): Promise<SwitchedDestination> {
    for (;;) {
      const port = LOWEST_PORT + Math.floor(Math.random() * PORT_COUNT);
      const mx = await FakeMx.start({ port }).catch(() => null);
      if (mx !== null) return new SwitchedDestination(mx);
    }
  }

  async goDown(outage: Outage): Promise<void> {
    if (outage === "closed port") return this.close();
    await this.#behave(({ stage }) => {
      if (stage !== (stages[outage] ?? "body")) return undefined;
      if (outage === "full mailboxes") return "452 4.2.2 not now";
      return outage === "hangs up at the dot" ? { drop: true } : "451 4.3.2 not now";
    });
  }

  /** Makes the host accept mail again. @param delayMs delay before each final reply */
  async goUp(delayMs = 0): Promise<void> {
    const slow = { reply: takenReply, delayMs };
    await this.#behave(({ stage }) => (stage === "body" && delayMs > 0 ? slow : undefined));
  }

  /** From now on the host receives every byte of a message but never replies to it. */
  async goSilent(): Promise<void> {
    await this.#behave(({ stage }) => (stage === "body" ? { delayMs: 600_000, drop: true } : undefined));
  }

  /**
   * Accepts mail for a third of the recipients, accepts slowly for another, and defers the rest; the thirds change with
   * the era.
   */
  async goMixed(): Promise<void> {
    const slow = new Set<number>();
    const { era } = this;
    await this.#behave(({ stage, line, connection }) => {
      if (stage === "body") return slow.has(connection) ? { reply: takenReply, delayMs: SLOW_MS } : undefined;
      if (stage !== "rcpt") return undefined;
      const third = (Number(/inbox(\d+)/.exec(line)?.[1] ?? 0) + era) % 3;
      if (third === 1) slow.add(connection);
      else slow.delete(connection);
      return third === 2 ? "451 4.3.2 not now" : undefined;
    });
  }

  async close(): Promise<void> {
    await this.#mx?.close();
    this.#mx = null;
  }

  async #behave(behaviour: Behaviour): Promise<void> {
    this.#behaviour = behaviour;
    this.#mx ??= this.#watched(await FakeMx.start({ port: this.port }));
  }

  #watched(mx: FakeMx): FakeMx {
    const eras = new Map<number, number>();
    mx.options = {
      answer: (step) => {
        if (step.stage === "greeting") eras.set(step.connection, this.era);
        if (step.stage === "body") this.onMoment("delivering");
        return this.#behaviour(step);
      },
    };
    mx.keep = (mail) => this.#note(mail, eras.get(mail.connection) ?? this.era);
    return mx;
  }

  #note({ bytes }: MailAtFakeMx, era: number): void {
    try {
      const number = readNumber(bytes);
      if (number === this.withheld) return;
      this.taken.set(number, [...(this.taken.get(number) ?? []), era]);
    } catch (thrown) {
      this.damaged.push(String(thrown));
    }
    this.onMoment("settling");
  }
}
