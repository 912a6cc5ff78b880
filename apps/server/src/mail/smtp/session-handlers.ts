/** What a session is given: the service behind it, and the options of its listener. */
import type { Socket } from "node:net";
import type { MailPath } from "@kauke/mail-rfc";
import type { Submitter } from "../../core/smtp-credential.ts";
import type { MemoryBudget } from "../../limits/bytes.ts";
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
  /** Confirmed by DNS; `null` or absent when not known. Settles within a second. */
  clientName?: Promise<string | null>;
  /** This process sent the message itself, from an alias on this server. */
  isOurs?: true;
  /** The preview inbox wrote the message for the mailbox in `mailFrom`: no authentication is needed. */
  isProven?: true;
  /** Submission only. */
  submitter?: Submitter;
}

export interface MxHandlers {
  /** @param clientAddress absent when this process asks for itself */
  resolve(path: MailPath, isNullSender: boolean, clientAddress?: string): Promise<Verdict<ResolvedRecipient>>;
  receive(mail: ReceivedMail): Promise<SmtpReply>;
  /** Called when a client connects, so that its name is known by the end of the first message. Never rejects. */
  clientName?(clientAddress: string): Promise<string | null>;
}

/** For submission: a client must sign in, and may send only as its alias. */
export interface SessionHandlers extends MxHandlers {
  signIn?: SignIn;
  /** @returns `null` when the submitter may use this sender */
  authorizeSender?(submitter: Submitter, mailFrom: MailFrom): Promise<SmtpReply | null>;
}

export interface SessionOptions {
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  /** TLS from the first byte. */
  secure?: boolean;
  /** STARTTLS; `null` when it is not offered or the connection is already secure. */
  upgrade: ((socket: Socket) => Promise<Socket>) | null;
  /** If there is none, STARTTLS ends the session: after a 454 clients continue unencrypted. */
  hasHandshakeRoom?(): boolean;
  isClosing(): boolean;
  /** Monotonic. */
  nowMs(): number;
}
