/** Verdicts of the stages of the mail path. A stage never throws for a policy decision: it returns a verdict. */
import { type MailRefusal, replyFor, type SmtpReply } from "./reply.ts";

type Accept<T> = { verdict: "accept"; value: T };

type Notes = { notes?: readonly string[] };

type Refuse =
  | { verdict: "reject"; code: MailRefusal }
  /** Reply 4xx: the sender keeps the mail. */
  | { verdict: "defer"; code: MailRefusal };

export type Verdict<T> =
  | Accept<T>
  /** Reply 250 and drop the message, because the owner wants that. */
  | { verdict: "discard" }
  | Refuse;

export type StageVerdict<T> = (Accept<T> | Refuse | { verdict: "reply"; reply: SmtpReply }) & Notes;

export type Accepted<T> = Accept<T> & Notes;

export const accept = <T>(value: T, notes?: readonly string[]) =>
  notes === undefined ? ({ verdict: "accept", value } as const) : ({ verdict: "accept", value, notes } as const);
export const reject = (code: MailRefusal) => ({ verdict: "reject", code }) as const;
export const defer = (code: MailRefusal) => ({ verdict: "defer", code }) as const;
export const endWith = (reply: SmtpReply) => ({ verdict: "reply", reply }) as const;
export const discard = { verdict: "discard" } as const;

export const replyOf = (verdict: Exclude<StageVerdict<unknown>, { verdict: "accept" }>): SmtpReply =>
  verdict.verdict === "reply" ? verdict.reply : replyFor(verdict.code);
