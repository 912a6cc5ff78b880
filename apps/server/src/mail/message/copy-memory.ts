/** Memory of one copy and of mails made from it. `release` drops bytes that waiting attempts still refer to. */
import type { BackgroundMemory, MemoryUse } from "../../limits/bytes.ts";
import type { OutgoingMail } from "../transport/transport.ts";

/** Parts of the memory budget for copies, in total and per account. */
export const copyShares = { all: 1, party: 1 / 4 };

type AboutMail = Omit<OutgoingMail, "sizeBytes" | "wire">;

export interface ReleasableMail {
  mail: OutgoingMail;
  /** From then on `mail.wire` returns `null`. */
  release(): void;
}

export function releasableMail(about: AboutMail, wireParts: readonly Buffer[]): ReleasableMail {
  let parts: readonly Buffer[] | null = wireParts;
  const sizeBytes = wireParts.reduce((sum, part) => sum + part.length, 0);
  return {
    mail: { ...about, sizeBytes, wire: () => parts },
    release: () => {
      parts = null;
    },
  };
}

export class CopyMemory {
  readonly #memory: BackgroundMemory;
  readonly #parties: readonly string[];
  readonly #releaseCopy: () => void;
  readonly #stops: (() => void)[] = [];
  #given: (() => void)[] = [];
  #kept: (() => void)[] = [];
  #issued: ReleasableMail[] = [];
  #isReleased = false;

  /** @param releaseCopy called when the copy is evicted, after its attempts were stopped */
  constructor(memory: BackgroundMemory, account: string | null, releaseCopy: () => void) {
    this.#memory = memory;
    this.#parties = [account === null ? "operator" : `of ${account}`];
    this.#releaseCopy = releaseCopy;
  }

  onEvicted(stop: () => void): void {
    this.#stops.push(stop);
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Until `shrink` or `release`. @returns false when there is no room now */
  reserve(bytes: number): boolean {
    const release = this.#memory.take(this.#use(bytes));
    if (release !== null) this.#given.push(release);
    return release !== null;
  }

  /** Until `release`. @returns false when there is no room now */
  keep(bytes: number): boolean {
    const release = this.#memory.take(this.#use(bytes));
    if (release !== null) this.#kept.push(release);
    return release !== null;
  }

  /** Replaces the estimate of `reserve` by the actual bytes. */
  shrink(bytes: number): void {
    this.#giveBack();
    if (this.#isReleased || bytes === 0) return;
    this.#given.push(this.#memory.hold(this.#use(bytes)));
  }

  /** @throws when the copy was released; its attempts were stopped then */
  present<T>(bytes: T | null): T {
    if (bytes === null) throw new Error("the copy was released");
    return bytes;
  }

  issue(about: AboutMail, wireParts: readonly Buffer[]): OutgoingMail {
    const issued = releasableMail(about, wireParts);
    this.#issued.push(issued);
    return issued.mail;
  }

  release(): void {
    this.#isReleased = true;
    this.#giveBack();
    for (const giveBack of this.#kept.splice(0)) giveBack();
    for (const mail of this.#issued) mail.release();
    this.#issued = [];
  }

  #use(bytes: number): MemoryUse {
    return { bytes, parties: () => this.#parties, evict: () => this.#evict() };
  }

  #evict(): void {
    for (const stop of this.#stops) stop();
    this.#releaseCopy();
  }

  #giveBack(): void {
    for (const giveBack of this.#given) giveBack();
    this.#given = [];
  }
}
