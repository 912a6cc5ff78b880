/** Port of the leak guard: whether a message that leaves as an alias reveals a mailbox behind it. */
import type { PartPlace } from "@kauke/mail-rfc";

export interface GuardedMessage {
  /** The worker serves the account that recently used it least. */
  userId: string;
  mailboxes: readonly string[];
  content: GuardedContent;
}

/** `message`: a whole message in chunks, not dot-stuffed. */
export type GuardedContent =
  | { kind: "message"; chunks: readonly Buffer[] }
  | { kind: "text" | "subject"; text: string };

/** From `start` to before `end`, in UTF-16 units. */
export interface TextSpan {
  start: number;
  end: number;
}

export interface FoundLeak {
  leak: "address" | "unpacks_too_far" | "too_many_members" | "too_deep";
  place: PartPlace;
  /** In a text or subject: where addresses stand, unless in encoded text. */
  spans?: readonly TextSpan[];
}

export interface LeakGuard {
  /** @throws AppError `busy`; `unavailable` when the search failed. The message must not be sent then */
  search(question: GuardedMessage): Promise<FoundLeak | null>;
}

export const noLeakGuard = { search: async () => null, close: async () => {} } satisfies LeakGuard & {
  close(): Promise<void>;
};
