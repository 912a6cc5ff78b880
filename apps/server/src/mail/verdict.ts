/** Verdicts of the stages of the mail path. A stage never throws for a policy decision: it returns a verdict. */
import { type MailRefusal, replyFor, type SmtpReply } from "./reply.ts";

type Accept<T> = { verdict: "accept"; value: T };

/** Lines that the preview's trace shows for a stage. */
type Notes = { notes?: readonly string[] };

type Refuse =
  /** Reply 5xx. */
  | { verdict: "reject"; code: MailRefusal }
  /** Reply 4xx: the sender keeps the mail. */
  | { verdict: "defer"; code: MailRefusal };

/** Verdict on a recipient at RCPT. */
export type Verdict<T> =
  | Accept<T>
  /** Reply 250, then drop the message, because the owner wants that. */
  | { verdict: "discard" }
  | Refuse;

/** Verdict on a message after its final dot. */
export type StageVerdict<T> = (
  | Accept<T>
  | Refuse
  /** The message ends here with the given reply. */
  | { verdict: "reply"; reply: SmtpReply }
) &
  Notes;

/** Verdict of a stage that accepts every message. */
export type Accepted<T> = Accept<T> & Notes;

export const accept = <T>(value: T, notes?: readonly string[]) =>
  notes === undefined ? ({ verdict: "accept", value } as const) : ({ verdict: "accept", value, notes } as const);
export const reject = (code: MailRefusal) => ({ verdict: "reject", code }) as const;
export const defer = (code: MailRefusal) => ({ verdict: "defer", code }) as const;
export const endWith = (reply: SmtpReply) => ({ verdict: "reply", reply }) as const;
export const discard = { verdict: "discard" } as const;

/** @returns the reply to a message that was not accepted */
export const replyOf = (verdict: Exclude<StageVerdict<unknown>, { verdict: "accept" }>): SmtpReply =>
  verdict.verdict === "reply" ? verdict.reply : replyFor(verdict.code);
