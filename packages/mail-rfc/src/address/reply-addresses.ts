/** The reply addresses that one forwarded message gives to the people it names, in header and calendars together. */
import { addressKey } from "./address-header.ts";
import type { Mailbox } from "./address-list.ts";

export class ReplyAddresses {
  /** Everybody who got a reply address, each once. */
  readonly correspondents: Mailbox[] = [];
  readonly #replyAddressOf: (correspondent: string) => string;
  readonly #replies = new Map<string, string>();
  readonly #max: number;

  /** @param max how many people get one @param replyAddressOf called once for each */
  constructor(replyAddressOf: (correspondent: string) => string, max: number) {
    this.#replyAddressOf = replyAddressOf;
    this.#max = max;
  }

  /** Whether nobody else can get one. */
  get isFull(): boolean {
    return this.#replies.size >= this.#max;
  }

  /** `null` for somebody who has none. */
  knownFor(address: string): string | null {
    return this.#replies.get(addressKey(address)) ?? null;
  }

  /** `null` when there are too many already. */
  addressFor(mailbox: Mailbox): string | null {
    const key = addressKey(mailbox.address);
    const known = this.#replies.get(key);
    if (known !== undefined || this.isFull) return known ?? null;
    const address = this.#replyAddressOf(mailbox.address);
    this.#replies.set(key, address);
    this.correspondents.push(mailbox);
    return address;
  }
}
