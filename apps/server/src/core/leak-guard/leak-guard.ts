/** The port of the leak guard: whether what leaves as an alias tells a mailbox behind it. It computes outside this process. */
import type { LeakPlace, Unsearchable } from "@kauke/mail-rfc";

export interface LeakQuestion {
  /** Whose turn it takes: each account waits for its own questions. */
  userId: string;
  /** Mailboxes that must not be told. */
  mailboxes: readonly string[];
  content: GuardedContent;
}

/** A message in plain form (not dot-stuffed), in chunks; or a text without a header. */
export type GuardedContent = { kind: "message"; chunks: readonly Buffer[] } | { kind: "text"; text: string };

/** Where the address stands, or what could not be searched to its end. */
export interface LeakAnswer {
  leak: "address" | Unsearchable;
  place: LeakPlace;
}

export interface LeakGuard {
  /**
   * @returns `null` when nothing was found and everything that can be read was read
   * @throws AppError `busy` when too much waits, `unavailable` when it can't be told; the message must not leave then
   */
  search(question: LeakQuestion): Promise<LeakAnswer | null>;
}
