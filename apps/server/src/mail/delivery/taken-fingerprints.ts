/** Which destinations accepted a message that got 451, so that retries don't repeat it. Keyed hashes, one hour. */

import { createHash } from "node:crypto";
import { firstValue, readHeader } from "@kauke/mail-rfc";
import type { DeliveryTarget } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

export class TakenFingerprints {
  readonly #hmac: (data: Buffer) => Buffer;
  readonly #clock: Clock;
  readonly #until = new BoundedMap<string, number>(bounds.remembered.takenDeliveries);

  /** @param hmac keyed, so that the entries reveal nothing without the key */
  constructor(hmac: (data: Buffer) => Buffer, clock: Clock) {
    this.#hmac = hmac;
    this.#clock = clock;
  }

  of(wire: Buffer): TakenOfMessage {
    return new TakenOfMessage(wire, this);
  }

  /** While nothing is remembered, a message need not be hashed to look it up. */
  get isEmpty(): boolean {
    return this.#until.size === 0;
  }

  add(fingerprint: Buffer): void {
    this.#until.set(this.#keyOf(fingerprint), steadyMs(this.#clock) + bounds.remembered.takenMs);
  }

  has(fingerprint: Buffer): boolean {
    const key = this.#keyOf(fingerprint);
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (until > steadyMs(this.#clock)) return true;
    this.#until.delete(key);
    return false;
  }

  #keyOf(fingerprint: Buffer): string {
    return this.#hmac(fingerprint).toString("base64");
  }
}

const originFields = ["message-id", "date", "from", "subject"] as const;

export class TakenOfMessage {
  readonly #all: TakenFingerprints;
  #wire: Buffer | null;
  #message: Buffer | null = null;

  constructor(wire: Buffer, all: TakenFingerprints) {
    this.#wire = wire;
    this.#all = all;
  }

  has(target: DeliveryTarget): boolean {
    return !this.#all.isEmpty && this.#all.has(this.#fingerprint(target));
  }

  remember(target: DeliveryTarget): void {
    this.#all.add(this.#fingerprint(target));
  }

  /**
   * Hashes what the author wrote, after which the message's bytes may be dropped. Not the trace fields, which may
   * differ in a retry; not Message-ID alone, since some programs write none and send the same body again.
   */
  read(): Buffer {
    if (this.#message !== null) return this.#message;
    const wire = this.#wire ?? Buffer.alloc(0);
    const { fields, end } = readHeader(wire);
    const origin = originFields.map((name) => firstValue(wire, fields, name) ?? "").join("\0");
    const bodyHash = createHash("sha256").update(wire.subarray(end)).digest();
    this.#message = Buffer.concat([bodyHash, Buffer.from(`${origin}\0`)]);
    this.#wire = null;
    return this.#message;
  }

  #fingerprint({ aliasAddress, destination }: DeliveryTarget): Buffer {
    const where = destination.kind === "mailbox" ? destination.address : destination.url;
    return Buffer.concat([this.read(), Buffer.from(`${aliasAddress}\0${where}`)]);
  }
}
