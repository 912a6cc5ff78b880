/** What a stage of the mail path decided (HOUSE-STYLE 4). A stage never throws for policy. */
import type { ErrorCode } from "@kauke/contract";

export type Verdict<T> =
  | { verdict: "accept"; value: T }
  /** Taken with 250 and dropped, on purpose and by the owner's wish. */
  | { verdict: "discard" }
  /** 5xx */
  | { verdict: "reject"; code: ErrorCode }
  /** 4xx: the sender keeps the mail. */
  | { verdict: "defer"; code: ErrorCode };

export const accept = <T>(value: T): Verdict<T> => ({ verdict: "accept", value });
export const reject = (code: ErrorCode): Verdict<never> => ({ verdict: "reject", code });
export const defer = (code: ErrorCode): Verdict<never> => ({ verdict: "defer", code });
export const discard: Verdict<never> = { verdict: "discard" };
