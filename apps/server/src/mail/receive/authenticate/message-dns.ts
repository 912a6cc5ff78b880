/**
 * DNS look-ups for one message's authentication, with one deadline for all of them. A look-up without an answer by then
 * fails, so that every check finishes and keeps its results. Answers are cached for the message.
 */
import { type AskDns, lookUp, recordsOf } from "../../ask-dns.ts";
import type { DnsAnswer, Resolver } from "../../resolver.ts";

type Answer = DnsAnswer<unknown>;

const late = { kind: "failed", isLate: true } as const;

export class MessageDns {
  readonly #resolver: Resolver;
  readonly #answers = new Map<string, Promise<Answer>>();
  readonly #end: Promise<null>;
  #endNow: () => void = () => {};
  #timer: NodeJS.Timeout;
  #isOver = false;
  #wasCut = false;

  /** @param limitMs milliseconds from now until the deadline of all look-ups */
  constructor(resolver: Resolver, limitMs: number) {
    this.#resolver = resolver;
    this.#end = new Promise((resolve) => {
      this.#endNow = () => {
        this.#isOver = true;
        resolve(null);
      };
    });
    this.#timer = setTimeout(this.#endNow, limitMs);
  }

  /** Whether any look-up was cut off, be it by our deadline or by the resolver's. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Brings the deadline forward, because the decisive result is known. */
  endIn(ms: number): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#endNow, ms);
  }

  /** Ends all look-ups; none is started afterwards. */
  close(): void {
    clearTimeout(this.#timer);
    this.#endNow();
  }

  /** @returns the answer to a question, even after the deadline if it is cached */
  async answerTo(name: string, type: string): Promise<Answer> {
    const answer = (await Promise.race([this.#answerTo(name, type), this.#end])) ?? late;
    if (answer.kind === "failed" && answer.isLate === true) this.#wasCut = true;
    return answer;
  }

  /** Answers a DNS question as `dns.promises.resolve` does. */
  readonly ask: AskDns = async (name, type = "A") => {
    const answer = await this.answerTo(name, type);
    return recordsOf(answer.kind === "failed" && answer.isLate === true ? "late" : answer, type);
  };

  #answerTo(name: string, type: string): Promise<Answer | null> {
    const key = keyOf(name, type);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    if (this.#isOver) return this.#end;
    const asked = lookUp(this.#resolver, name, type);
    this.#answers.set(key, asked);
    return asked;
  }
}

const keyOf = (name: string, type: string) => `${type} ${name.toLowerCase()}`;
