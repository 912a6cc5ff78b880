/** What a stage of the mail path decided (HOUSE-STYLE 4). A stage never throws for policy. */
import type { ErrorCode } from "@kauke/contract";
import { replyFor, type SmtpReply } from "./reply.ts";

type Accept<T> = { verdict: "accept"; value: T };

type Refuse =
  /** 5xx */
  | { verdict: "reject"; code: ErrorCode }
  /** 4xx: the sender keeps the mail. */
  | { verdict: "defer"; code: ErrorCode };

/** Of a recipient at RCPT. */
export type Verdict<T> =
  | Accept<T>
  /** Taken with 250 and dropped, on purpose and by the owner's wish. */
  | { verdict: "discard" }
  | Refuse;

/** Of a message after its final dot. */
export type StageVerdict<T> = (
  | Accept<T>
  | Refuse
  /** The message ends here with a reply in words of its own. */
  | { verdict: "answer"; reply: SmtpReply }
) & {
  /** What the preview's trace says about it, a line each. */
  notes?: readonly string[];
};

export const accept = <T>(value: T, notes?: readonly string[]) =>
  ({ verdict: "accept", value, ...(notes === undefined ? {} : { notes }) }) as const;
export const reject = (code: ErrorCode) => ({ verdict: "reject", code }) as const;
export const defer = (code: ErrorCode) => ({ verdict: "defer", code }) as const;
export const answer = (reply: SmtpReply) => ({ verdict: "answer", reply }) as const;
export const discard = { verdict: "discard" } as const;

/** @returns what the sender hears of a message that was not accepted */
export const replyOf = (verdict: Exclude<StageVerdict<unknown>, { verdict: "accept" }>): SmtpReply =>
  verdict.verdict === "answer" ? verdict.reply : replyFor(verdict.code);
