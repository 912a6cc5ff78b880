/** Assigns reply addresses to the people that one forwarded message names, in its header and calendars together. */
import { addressKey } from "./address-header.ts";
import type { Mailbox } from "./address-list.ts";

export class ReplyAddresses {
  /** Everybody who was assigned a reply address, without duplicates. */
  readonly correspondents: Mailbox[] = [];
  readonly #replyAddressOf: (correspondent: string) => string;
  readonly #replies = new Map<string, string>();
  readonly #max: number;

  /**
   * @param max maximum number of reply addresses in one message
   * @param replyAddressOf called once per correspondent of the message
   */
  constructor(replyAddressOf: (correspondent: string) => string, max: number) {
    this.#replyAddressOf = replyAddressOf;
    this.#max = max;
  }

  /** Whether the message already has its maximum number of reply addresses. */
  get isFull(): boolean {
    return this.#replies.size >= this.#max;
  }

  /** @returns the reply address already assigned to this correspondent; `null` when there is none */
  knownFor(address: string): string | null {
    return this.#replies.get(addressKey(address)) ?? null;
  }

  /** @returns the correspondent's reply address, assigned now if necessary; `null` when the maximum is reached */
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
