/**
 * Remembers what destinations took of messages that were answered 451 because the rest could not be committed, so that
 * the sender's retry does not deliver it twice. In memory, bounded, for one hour, as keyed hashes only.
 */
import { BoundedMap } from "../../runtime/bounded-map.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

const ENTRIES_MAX = 50_000;
const AGE_MAX_MS = 3_600_000;

export class TakenFingerprints {
  readonly #hmac: (data: Buffer) => Buffer;
  readonly #clock: Clock;
  readonly #until = new BoundedMap<string, number>(ENTRIES_MAX);

  /** @param hmac keyed hash, so that the entries reveal nothing without the key */
  constructor(hmac: (data: Buffer) => Buffer, clock: Clock) {
    this.#hmac = hmac;
    this.#clock = clock;
  }

  /** Whether no fingerprint is stored; a message body then need not be hashed to look it up. */
  get isEmpty(): boolean {
    return this.#until.size === 0;
  }

  add(fingerprint: string): void {
    this.#until.set(fingerprint, steadyMs(this.#clock) + AGE_MAX_MS);
  }

  has(fingerprint: string): boolean {
    const until = this.#until.get(fingerprint);
    if (until === undefined) return false;
    if (until > steadyMs(this.#clock)) return true;
    this.#until.delete(fingerprint);
    return false;
  }

  /**
   * @param origin header fields that the author wrote
   * @param bodyHash SHA-256 of the body as received
   * @param target alias address and destination
   */
  make(origin: string, bodyHash: Buffer, target: string): string {
    const data = Buffer.concat([Buffer.from(`${origin}\0${target}\0`), bodyHash]);
    return this.#hmac(data).toString("base64");
  }
}
