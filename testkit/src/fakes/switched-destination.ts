/** A destination host that can be taken down in the ways hosts go down, and counts which numbered messages it took and when. */

import { readNumber } from "../kill/numbered-mail.ts";
import { FakeMx, type FakeMxAnswer, type FakeMxStep, type ReceivedMail } from "./fake-mx.ts";

/** `full mailboxes`: 4xx at RCPT that concerns the mailbox, which slows no other mail to the host. */
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
const slowMs = 200;

/** Below the range that systems hand out for outgoing connections, so that nobody takes the port while it is closed. */
const lowestPort = 20_000;
const ports = 12_000;

export class SwitchedDestination {
  readonly port: number;
  /** For each number the eras in which it was taken; an era is that of the connection it came on. */
  readonly taken = new Map<number, number[]>();
  readonly damaged: string[] = [];
  /** What deliveries are noted under; count it up at every kill. */
  era = 0;
  /** Told when a body is there and unanswered, and when it is taken. */
  tell: (moment: "delivering" | "settling") => void = () => {};
  /** A message that is answered like any other and then forgotten: what a loss would look like. */
  withheld: number | null = null;
  #mx: FakeMx | null;
  #behaviour: Behaviour = () => undefined;

  private constructor(mx: FakeMx) {
    this.port = mx.port;
    this.#mx = this.#watched(mx);
  }

  static async start(): Promise<SwitchedDestination> {
    for (;;) {
      const port = lowestPort + Math.floor(Math.random() * ports);
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

  /** @param delayMs before each final answer */
  async goUp(delayMs = 0): Promise<void> {
    const slow = { reply: takenReply, delayMs };
    await this.#behave(({ stage }) => (stage === "body" && delayMs > 0 ? slow : undefined));
  }

  /** Takes every byte of a message and never answers. */
  async goSilent(): Promise<void> {
    await this.#behave(({ stage }) => (stage === "body" ? { delayMs: 600_000, drop: true } : undefined));
  }

  /** A third of the recipients takes, a third is slow, a third is told to come later; in the next era it is another third. */
  async goMixed(): Promise<void> {
    const slow = new Set<number>();
    const { era } = this;
    await this.#behave(({ stage, line, connection }) => {
      if (stage === "body") return slow.has(connection) ? { reply: takenReply, delayMs: slowMs } : undefined;
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
        if (step.stage === "body") this.tell("delivering");
        return this.#behaviour(step);
      },
    };
    mx.keep = (mail) => this.#note(mail, eras.get(mail.connection) ?? this.era);
    return mx;
  }

  #note({ bytes }: ReceivedMail, era: number): void {
    try {
      const number = readNumber(bytes);
      if (number === this.withheld) return;
      this.taken.set(number, [...(this.taken.get(number) ?? []), era]);
    } catch (thrown) {
      this.damaged.push(String(thrown));
    }
    this.tell("settling");
  }
}
