/**
 * SHA-256 hashes of message bodies as DKIM signs them (simple canonicalization). One pass serves every copy of a
 * message, and is saved altogether when verification on arrival has already hashed the same bytes.
 */
import { simpleBodyHash, unstuff } from "@kauke/mail-rfc";

export class BodyHashes {
  readonly #known = new WeakMap<Buffer, { bodyStart: number; hash: Buffer }>();

  /**
   * @param wire the received message, dot-stuffed
   * @param bodyStart offset of its body
   */
  of(wire: Buffer, bodyStart: number): Buffer {
    const known = this.#known.get(wire);
    if (known?.bodyStart === bodyStart) return known.hash;
    const hash = simpleBodyHash(unstuff(wire.subarray(bodyStart)));
    this.remember(wire, bodyStart, hash);
    return hash;
  }

  /**
   * Stores a known hash. It is found again only for the same buffer object: if unstuffing copied the message, `of`
   * computes the hash itself.
   */
  remember(message: Buffer, bodyStart: number, hash: Buffer): void {
    this.#known.set(message, { bodyStart, hash });
  }
}
