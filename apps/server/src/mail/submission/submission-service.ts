/**
 * The submission service (RFC 6409): authenticate, authorize the sender, enqueue. A client that signed in with an
 * alias' credentials may send only as that alias.
 */

import type { SmtpLoginAttempt, SmtpLoginResult, Submitter } from "../../core/smtp-credential/authenticate.ts";
import { clientNetwork } from "../../limits/party.ts";
import { aliasPaused, reply, replyFor, replyForThrow, type SmtpReply } from "../reply.ts";
import type { MailFrom } from "../smtp/commands.ts";
import type { SignInResult } from "../smtp/session-auth.ts";
import type { ReceivedMail, SessionHandlers } from "../smtp/session-handlers.ts";
import { accept, reject } from "../verdict.ts";
import { type SubmitDeps, submitMessage } from "./submit-message.ts";

export interface SubmissionDeps extends SubmitDeps {
  authenticate(attempt: SmtpLoginAttempt): Promise<SmtpLoginResult>;
  /** Whether the credentials that this connection signed in with are still valid. */
  checkSubmitter(submitter: Submitter): Promise<"valid" | "paused" | "ended">;
}

/** `aliasPaused` as the reply to AUTH and MAIL. */
const paused = { ...aliasPaused, code: 535, enhancedStatus: "5.7.8" };
const ended = reply(421, "4.7.0", "Your credentials have changed, sign in again");

export function submissionService(deps: SubmissionDeps): SessionHandlers {
  return {
    resolve: async (path) =>
      path.domain === "" ? reject("invalid") : accept({ kind: "outside", address: path.canonical }),
    signIn: (attempt) => signIn(attempt, deps),
    authorizeSender: (submitter, mailFrom) => authorizeSender(submitter, mailFrom, deps),
    receive: (mail) => receive(mail, deps),
  };
}

async function signIn(attempt: SmtpLoginAttempt, deps: SubmissionDeps): Promise<SignInResult> {
  try {
    const result = await deps.authenticate({ ...attempt, clientAddress: clientNetwork(attempt.clientAddress) });
    if (result === null) return { refusal: replyFor("credentials_wrong") };
    return result.kind === "paused" ? { refusal: paused } : { submitter: result };
  } catch (thrown) {
    return { refusal: replyForThrow(thrown) };
  }
}

/** Checked for every message, so that a revoked password is useless at once, on open connections too. */
async function authorizeSender(
  submitter: Submitter,
  { envelopeFrom }: MailFrom,
  deps: SubmissionDeps,
): Promise<SmtpReply | null> {
  const standing = await deps.checkSubmitter(submitter);
  if (standing !== "valid") return standing === "paused" ? paused : ended;
  return envelopeFrom.toLowerCase() === submitter.aliasAddress ? null : replyFor("forbidden");
}

async function receive(mail: ReceivedMail, deps: SubmissionDeps): Promise<SmtpReply> {
  if (mail.submitter === undefined) return replyFor("not_signed_in");
  return submitMessage(mail, mail.submitter, deps);
}
