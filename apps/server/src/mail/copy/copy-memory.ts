/**
 * What one copy of a message holds in memory: what was reserved for it, and the mails given out, whose bytes are dropped with it. A
 * copy is kept by closures of attempts that may wait ten minutes for an answer, so dropping is done by hand.
 */
import type { BackgroundMemory } from "../background-memory.ts";
import type { OutgoingMail } from "../transport/transport.ts";

export class CopyMemory {
  readonly #memory: BackgroundMemory;
  readonly #parties: readonly string[];
  readonly #onEvicted: () => void;
  #given: (() => void)[] = [];
  #kept: (() => void)[] = [];
  #issued: OutgoingMail[] = [];
  #isReleased = false;

  constructor(memory: BackgroundMemory, account: string | null, onEvicted: () => void) {
    this.#memory = memory;
    this.#parties = [account === null ? "operator" : `of ${account}`];
    this.#onEvicted = onEvicted;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** @returns false when there is no room now */
  reserve(bytes: number): boolean {
    const release = this.#memory.take({ bytes, parties: () => this.#parties, giveWay: this.#onEvicted });
    if (release !== null) this.#given.push(release);
    return release !== null;
  }

  /** Reserves for what stays until `release`, whatever else is made. @returns false when there is no room now */
  keep(bytes: number): boolean {
    const release = this.#memory.take({ bytes, parties: () => this.#parties, giveWay: this.#onEvicted });
    if (release !== null) this.#kept.push(release);
    return release !== null;
  }

  /** What was made turned out to have so many bytes. */
  shrink(bytes: number): void {
    this.#giveBack();
    if (this.#isReleased || bytes === 0) return;
    this.#given.push(this.#memory.hold({ bytes, parties: () => this.#parties, giveWay: this.#onEvicted }));
  }

  /** @throws when the copy was released: the attempt that asks was told to end already */
  present<T>(bytes: T | null): T {
    if (bytes === null) throw new Error("the copy was released");
    return bytes;
  }

  issue(mail: Omit<OutgoingMail, "sizeBytes">): OutgoingMail {
    const issued = { ...mail, sizeBytes: mail.wireParts.reduce((sum, part) => sum + part.length, 0) };
    this.#issued.push(issued);
    return issued;
  }

  release(): void {
    this.#isReleased = true;
    this.#giveBack();
    for (const giveBack of this.#kept.splice(0)) giveBack();
    for (const mail of this.#issued) mail.wireParts = [];
    this.#issued = [];
  }

  #giveBack(): void {
    for (const giveBack of this.#given) giveBack();
    this.#given = [];
  }
}
