/**
 * The DNS of one message's verification: our resolver in the shape mailauth wants, with one end for all questions. Whatever has not
 * been answered by then fails, so that every check ends by itself and keeps what it has found; what was answered can be asked again.
 */
import { type AskDns, lookUp, recordsOf } from "../../ask-dns.ts";
import type { DnsAnswer, Resolver } from "../../resolver.ts";

type Answer = DnsAnswer<unknown>;

export class MessageDns {
  readonly #resolver: Resolver;
  readonly #answers = new Map<string, Promise<Answer>>();
  /** Whether a question got no answer: too late, or a failure that may pass. */
  readonly #unanswered = new Set<string>();
  readonly #end: Promise<null>;
  #endNow: () => void = () => {};
  #timer: NodeJS.Timeout;
  #isOver = false;
  #wasCut = false;

  /** @param limitMs when all questions end, from now */
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

  /** Whether a question was open when the time was over, ours or the resolver's. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Moves the end closer: what matters is known. */
  endIn(ms: number): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#endNow, ms);
  }

  /** No question is asked any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#endNow();
  }

  /** Whether this question was asked and got no answer. */
  isUnanswered(name: string, type: string): boolean {
    return this.#unanswered.has(keyOf(name, type));
  }

  /** Bound: mailauth knows a resolver by its identity. */
  readonly ask: AskDns = async (name, type = "A") => {
    const key = keyOf(name, type);
    const answer = await Promise.race([this.#answerTo(name, type), this.#end]);
    const isLate = answer === null || (answer.kind === "failed" && answer.isLate === true);
    if (isLate) this.#wasCut = true;
    if (isLate || answer.kind === "failed") this.#unanswered.add(key);
    return recordsOf(isLate ? "late" : answer, type);
  };

  /** An answer that is there already wins against the end. */
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
