/**
 * DNS look-ups for one message's authentication: our resolver behind the interface mailauth expects, with one deadline
 * for all look-ups. A look-up without an answer by then fails, so that every check finishes and keeps its results.
 * Answers are cached for the message.
 */
import { type AskDns, lookUp, recordsOf } from "../../ask-dns.ts";
import type { DnsAnswer, Resolver } from "../../resolver.ts";

type Answer = DnsAnswer<unknown>;

export class MessageDns {
  readonly #resolver: Resolver;
  readonly #answers = new Map<string, Promise<Answer>>();
  /** Look-ups that got no answer: after the deadline, or because of a temporary failure. */
  readonly #unanswered = new Set<string>();
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

  /** Whether a look-up of this name and type was made and got no answer. */
  isUnanswered(name: string, type: string): boolean {
    return this.#unanswered.has(keyOf(name, type));
  }

  /** An arrow function, so that its identity is stable: mailauth recognizes a resolver by identity. */
  readonly ask: AskDns = async (name, type = "A") => {
    const key = keyOf(name, type);
    const answer = await Promise.race([this.#answerTo(name, type), this.#end]);
    const isLate = answer === null || (answer.kind === "failed" && answer.isLate === true);
    if (isLate) this.#wasCut = true;
    if (isLate || answer.kind === "failed") this.#unanswered.add(key);
    return recordsOf(isLate ? "late" : answer, type);
  };

  /** Returns a cached answer even after the deadline. */
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
