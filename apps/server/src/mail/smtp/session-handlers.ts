import type { Socket } from "node:net";
import type { MailPath } from "@kauke/mail-rfc";
import type { Submitter } from "../../core/smtp-credential.ts";
import type { MemoryBudget } from "../../limits/bytes.ts";
import type { SmtpReply, Verdict } from "../reply.ts";
import type { ResolvedRecipient } from "../transaction.ts";
import type { MailFrom } from "./commands.ts";
import type { SignIn } from "./session-auth.ts";
import type { SessionProgress } from "./session-limits.ts";

export interface SessionTls {
  /** E.g. `TLSv1.3`. */
  version: string;
  cipher: string;
}

export interface ReceivedMail {
  mailFrom: MailFrom;
  recipients: readonly ResolvedRecipient[];
  wire: Buffer;
  helo: string;
  esmtp: boolean;
  secure: boolean;
  /** Of the session; absent when it is not encrypted, and for mail from this process. */
  tls?: SessionTls;
  clientAddress: string;
  /** Client's host name, confirmed by DNS; `null` or absent when unknown. Settles within a second. */
  clientName?: Promise<string | null>;
  /** This process sent the message itself, from an alias on this server. */
  isOurs?: true;
  /** The preview inbox wrote the message for the mailbox in `mailFrom`: no authentication is needed. */
  isProven?: true;
  submitter?: Submitter;
}

export interface MxHandlers {
  /** @param clientAddress absent when this process calls it for its own mail */
  resolve(path: MailPath, isNullSender: boolean, clientAddress?: string): Promise<Verdict<ResolvedRecipient>>;
  receive(mail: ReceivedMail): Promise<SmtpReply>;
  /** Called when a client connects, so that its name is known at the end of the first message. Never rejects. */
  clientName?(clientAddress: string): Promise<string | null>;
}

export interface SessionHandlers extends MxHandlers {
  signIn?: SignIn;
  /** @returns `null` when the submitter may use this sender */
  authorizeSender?(submitter: Submitter, mailFrom: MailFrom): Promise<SmtpReply | null>;
}

/** What the server needs of a session, of whatever protocol. */
export interface MailSession {
  readonly isIdle: boolean;
  readonly progress: SessionProgress;
  /** Asks the client to try again elsewhere or later. */
  shutdown(): void;
  leave(response: SmtpReply): void;
}

export interface SessionOptions {
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  secure?: boolean;
  /** STARTTLS; `null` when it is not offered or the connection is already secure. */
  upgrade: ((socket: Socket) => Promise<Socket>) | null;
  /** Without room for a handshake, STARTTLS ends the session: after 454, clients would go on unencrypted. */
  hasHandshakeRoom?(): boolean;
  isClosing(): boolean;
  nowMs(): number;
}
