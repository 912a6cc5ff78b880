/** Port of the leak guard: whether a message that leaves as an alias reveals a mailbox behind the alias. */
import type { PartPlace } from "@kauke/mail-rfc";

export interface GuardedMessage {
  /** Accounts take turns: the worker next serves the one that recently used the least of its time. */
  userId: string;
  /** Addresses that the content must not reveal. */
  mailboxes: readonly string[];
  content: GuardedContent;
}

/** What is searched: a whole message in chunks, not dot-stuffed; a typed text without a header; or a typed subject. */
export type GuardedContent =
  | { kind: "message"; chunks: readonly Buffer[] }
  | { kind: "text" | "subject"; text: string };

export interface FoundLeak {
  leak: "address" | "unpacks_too_far" | "too_many_members" | "too_deep";
  place: PartPlace;
}

export interface LeakGuard {
  /**
   * @returns `null` when everything could be searched and no address was found
   * @throws AppError `busy` when the queue is full, `unavailable` when the search failed; the message must not be sent
   * then
   */
  search(question: GuardedMessage): Promise<FoundLeak | null>;
}

export const noLeakGuard = { search: async () => null, close: async () => {} } satisfies LeakGuard & {
  close(): Promise<void>;
};
