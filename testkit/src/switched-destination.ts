/** A destination host that can be taken down in the ways hosts go down, and counts which numbered messages it took and when. */
import { FakeMx, type ReceivedMail } from "./fake-mx.ts";
import { readNumber } from "./numbered-mail.ts";

export type Outage = "closed port" | "4xx at MAIL" | "4xx at the dot" | "hangs up at the dot";

export const outages: readonly Outage[] = ["closed port", "4xx at MAIL", "4xx at the dot", "hangs up at the dot"];

/** Below the range that systems hand out for outgoing connections, so that nobody takes the port while it is closed. */
const lowestPort = 20_000;
const ports = 12_000;

export class SwitchedDestination {
  readonly port: number;
  /** For each number the eras in which it was taken. */
  readonly taken = new Map<number, number[]>();
  readonly damaged: string[] = [];
  /** What deliveries are noted under; count it up at every kill. */
  era = 0;
  #mx: FakeMx | null;

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
    const mx = await this.#listening();
    mx.options = {
      answer: ({ stage }) => {
        if (stage !== (outage === "4xx at MAIL" ? "mail" : "body")) return undefined;
        return outage === "hangs up at the dot" ? { drop: true } : "451 4.3.2 not now";
      },
    };
  }

  /** @param delayMs before each final answer */
  async goUp(delayMs = 0): Promise<void> {
    const mx = await this.#listening();
    const slow = { reply: "250 2.0.0 taken", delayMs };
    mx.options = delayMs === 0 ? {} : { answer: ({ stage }) => (stage === "body" ? slow : undefined) };
  }

  /** Takes every byte of a message and never answers. */
  async goSilent(): Promise<void> {
    const mx = await this.#listening();
    mx.options = { answer: ({ stage }) => (stage === "body" ? { delayMs: 600_000, drop: true } : undefined) };
  }

  async close(): Promise<void> {
    await this.#mx?.close();
    this.#mx = null;
  }

  async #listening(): Promise<FakeMx> {
    this.#mx ??= this.#watched(await FakeMx.start({ port: this.port }));
    return this.#mx;
  }

  #watched(mx: FakeMx): FakeMx {
    mx.keep = (mail) => this.#note(mail);
    return mx;
  }

  #note({ bytes }: ReceivedMail): void {
    try {
      const number = readNumber(bytes);
      this.taken.set(number, [...(this.taken.get(number) ?? []), this.era]);
    } catch (thrown) {
      this.damaged.push(String(thrown));
    }
  }
}
