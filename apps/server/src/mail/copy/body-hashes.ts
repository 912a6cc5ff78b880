/**
 * SHA-256 of the bodies of messages on their way, as DKIM signs them (simple). One pass serves every copy that leaves, and the
 * check on arrival when the sender signed the body as it lies.
 */
import { simpleBodyHash, unstuff } from "@kauke/mail-rfc";

export class BodyHashes {
  readonly #known = new WeakMap<Buffer, { bodyStart: number; hash: Buffer }>();

  /** @param wire the received message, wire form @param bodyStart where its body begins */
  of(wire: Buffer, bodyStart: number): Buffer {
    const known = this.#known.get(wire);
    if (known?.bodyStart === bodyStart) return known.hash;
    const hash = simpleBodyHash(unstuff(wire.subarray(bodyStart)));
    this.remember(wire, bodyStart, hash);
    return hash;
  }

  /** @param message the very buffer `of` will be asked about, which it is when nothing had to be unstuffed */
  remember(message: Buffer, bodyStart: number, hash: Buffer): void {
    this.#known.set(message, { bodyStart, hash });
  }
}
