/**
 * What destinations took while we could not commit the rest and answered 451: the sender's retry must not repeat it.
 * Bounded, in memory, one hour, keyed hashes only.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";
import { type Clock, steadyMs } from "../../../core/ports.ts";

const maxEntries = 50_000;
const maxAgeMs = 3_600_000;

export class TakenFingerprints {
  readonly #hmac: (data: Buffer) => Buffer;
  readonly #clock: Clock;
  readonly #until = new BoundedMap<string, number>(maxEntries);

  /** @param hmac keyed, so that the set tells nothing to who reads the memory without the key */
  constructor(hmac: (data: Buffer) => Buffer, clock: Clock) {
    this.#hmac = hmac;
    this.#clock = clock;
  }

  /** While empty nobody needs to hash a body. */
  get isEmpty(): boolean {
    return this.#until.size === 0;
  }

  add(fingerprint: string): void {
    this.#until.set(fingerprint, steadyMs(this.#clock) + maxAgeMs);
  }

  has(fingerprint: string): boolean {
    const until = this.#until.get(fingerprint);
    if (until === undefined) return false;
    if (until > steadyMs(this.#clock)) return true;
    this.#until.delete(fingerprint);
    return false;
  }

  /** @param origin the author's own fields @param bodyHash SHA-256 of the body as received @param target alias address and destination */
  make(origin: string, bodyHash: Buffer, target: string): string {
    const data = Buffer.concat([Buffer.from(`${origin}\0${target}\0`), bodyHash]);
    return this.#hmac(data).toString("base64");
  }
}
