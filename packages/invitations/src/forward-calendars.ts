/** Replaces addresses in the calendars of a forwarded message by reply addresses, as in its header. */

import { type ForwardHeaderSource, isOwn, type ReplyAddresses } from "@kauke/mail-rfc";
import type { CalendarChange } from "./calendar-text.ts";

export interface ForwardCalendars {
  /** Addresses in the calendars, organizers first. */
  addresses: readonly string[];
  /** Reply addresses assigned for the header; header and calendars share one maximum. */
  replies: ReplyAddresses;
  /** The owner's aliases, which stay unchanged so that programs find the owner among the attendees. */
  own: Pick<ForwardHeaderSource, "aliasAddress" | "isOwnAlias">;
}

const AT_SIGNS = /[@\u{ff20}\u{fe6b}]/gu;

/**
 * Assigns reply addresses to people in the calendars. People beyond the maximum are removed from the calendars.
 * @returns rules for `writeCalendars`, which assigns no further reply addresses
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
