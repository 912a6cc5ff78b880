/** What a session asks of the service behind it: who an address is, what becomes of a message, and for submission who may send. */
import type { MailPath } from "@kauke/mail-rfc";
import type { Submitter } from "../../core/smtp-credential/authenticate.ts";
import type { SmtpReply } from "../reply.ts";
import type { ResolvedRecipient } from "../transaction.ts";
import type { Verdict } from "../verdict.ts";
import type { MailFrom } from "./path-argument.ts";
import type { SignIn } from "./session-auth.ts";

export interface ReceivedMail {
  mailFrom: MailFrom;
  recipients: readonly ResolvedRecipient[];
  wire: Buffer;
  helo: string;
  esmtp: boolean;
  secure: boolean;
  clientAddress: string;
  /** Confirmed by the DNS; `null`, or none: not known. A promise ends soon. */
  clientName?: string | null | Promise<string | null>;
  /** It comes from this process: an alias of ours wrote it. */
  isOurs?: true;
  /** The preview inbox wrote it for the mailbox in `mailFrom`: counted as proven, nothing is looked up. */
  isProven?: true;
  /** Who signed in; submission only. */
  submitter?: Submitter;
}

export interface MxHandlers {
  /** @param clientAddress of who asks over the wire; this process asking for itself has none */
  resolve(
    path: MailPath,
    isNullSender: boolean,
    clientAddress?: string,
  ): Verdict<ResolvedRecipient> | Promise<Verdict<ResolvedRecipient>>;
  receive(mail: ReceivedMail): Promise<SmtpReply>;
  /** The name of who connects, asked for at once so that it is known by the end of the first message. Never rejects. */
  clientName?(clientAddress: string): string | null | Promise<string | null>;
}

/** Submission asks more: nobody sends before signing in, and only as who they signed in as. */
export interface SessionHandlers extends MxHandlers {
  signIn?: SignIn;
  /** @returns the refusal, `null` when the sender may */
  authorizeSender?(submitter: Submitter, mailFrom: MailFrom): Promise<SmtpReply | null>;
}
