/** The calendars of a forwarded message: whoever a mail program could answer becomes a reply address, as in its header. */

import type { ReplyAddresses } from "../address/reply-addresses.ts";
import { type ForwardHeaderSource, isOwn } from "../header/rewrite-forward-header.ts";
import type { CalendarChange } from "./calendar-text.ts";

export interface ForwardCalendars {
  /** In the calendars, organizers first. */
  addresses: readonly string[];
  /** As the header was written with: people named there count in the same bound. */
  replies: ReplyAddresses;
  /** The owner's aliases stay, so that they can be found among the attendees. */
  own: Pick<ForwardHeaderSource, "aliasAddress" | "isOwnAlias">;
}

const AT_SIGNS = /[@\u{ff20}\u{fe6b}]/gu;

/**
 * Gives reply addresses to people in the calendars. Who comes after the last that may have one is removed.
 * @returns what `writeCalendars` needs; it gives reply addresses to nobody else
 */
export function forwardCalendars({ addresses, replies, own }: ForwardCalendars): CalendarChange {
  for (const address of addresses) {
    if (replies.isFull) break;
    if (!isOwn(address, own)) replies.addressFor({ name: null, address });
  }
  return {
    addressFor: (address) => (isOwn(address, own) ? address : replies.knownFor(address)),
    nameFor: (name) => name.replace(AT_SIGNS, " at "),
    unreadable: "remove",
  };
}
