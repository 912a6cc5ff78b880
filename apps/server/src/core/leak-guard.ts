/**
 * Port of the leak guard: whether a message that leaves as an alias reveals a mailbox behind the alias. Searches in
 * another process.
 */
import type { LeakPlace, Unsearchable } from "@kauke/mail-rfc";

export interface LeakQuestion {
  /**
   * Account that the search is queued for. The account that recently used the least time of the worker is served next.
   */
  userId: string;
  /** Mailbox addresses that the content must not reveal. */
  mailboxes: readonly string[];
  content: GuardedContent;
}

/** A whole message, not dot-stuffed, in chunks; or a text without a header. */
export type GuardedContent = { kind: "message"; chunks: readonly Buffer[] } | { kind: "text"; text: string };

/** Where an address was found, or which part could not be searched completely. */
export interface LeakAnswer {
  leak: "address" | Unsearchable;
  place: LeakPlace;
}

export interface LeakGuard {
  /**
   * Searches a message or text for addresses of mailboxes.
   * @returns `null` when everything could be searched and no address was found
   * @throws AppError `busy` when the queue is full, `unavailable` when the search failed; the message must not be sent
   * then
   */
  search(question: LeakQuestion): Promise<LeakAnswer | null>;
}
