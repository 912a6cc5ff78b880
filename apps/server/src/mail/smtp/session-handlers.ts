/** What a session is given: the service behind it, and the options of its listener. */
import type { Socket } from "node:net";
import type { MailPath } from "@kauke/mail-rfc";
import type { Submitter } from "../../core/smtp-credential/authenticate.ts";
import type { MemoryBudget } from "../memory-budget.ts";
import type { SmtpReply } from "../reply.ts";
import type { ResolvedRecipient } from "../transaction.ts";
import type { Verdict } from "../verdict.ts";
import type { MailFrom } from "./commands.ts";
import type { SignIn } from "./session-auth.ts";

export interface ReceivedMail {
  mailFrom: MailFrom;
  recipients: readonly ResolvedRecipient[];
  wire: Buffer;
  helo: string;
  esmtp: boolean;
  secure: boolean;
  clientAddress: string;
  /** Client's host name, confirmed by DNS; `null` or absent when not known. Settles within a second. */
  clientName?: Promise<string | null>;
  /** Set when this process sent the message itself, from an alias on this server. */
  isOurs?: true;
  /** Set when the preview inbox wrote the message for the mailbox in `mailFrom`: no authentication is needed. */
  isProven?: true;
  /** Submission only. */
  submitter?: Submitter;
}

export interface MxHandlers {
  /** @param clientAddress address of the remote client; absent when this process asks for itself */
  resolve(path: MailPath, isNullSender: boolean, clientAddress?: string): Promise<Verdict<ResolvedRecipient>>;
  receive(mail: ReceivedMail): Promise<SmtpReply>;
  /** Called when a client connects, so that its host name is known by the end of the first message. Never rejects. */
  clientName?(clientAddress: string): Promise<string | null>;
}

/** Handlers for submission: a client must sign in before it sends, and may send only as the alias it signed in as. */
export interface SessionHandlers extends MxHandlers {
  signIn?: SignIn;
  /** @returns the refusal, or `null` when the submitter may use this sender */
  authorizeSender?(submitter: Submitter, mailFrom: MailFrom): Promise<SmtpReply | null>;
}

export interface SessionOptions {
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  /** Whether the connection uses TLS from the first byte. */
  secure?: boolean;
  /** Upgrades the connection by STARTTLS; `null` when it is not offered or the connection is already secure. */
  upgrade: ((socket: Socket) => Promise<Socket>) | null;
  /** Whether a TLS handshake may begin. If not, STARTTLS ends the session: after a 454 clients continue unencrypted. */
  hasHandshakeRoom?(): boolean;
  isClosing(): boolean;
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
}
