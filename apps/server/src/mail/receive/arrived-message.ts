/** The value that the stages hand on, from the final dot to the answer: each adds what it found, and none changes what is there. */
import { isAscii } from "node:buffer";
import type { HeaderBlock } from "@kauke/mail-rfc";
import type { Clock, Random } from "../../core/ports.ts";
import type { SmtpReply } from "../reply.ts";
import type { ReceivedMail } from "../smtp-server/session-handlers.ts";
import type { Transaction } from "../transaction.ts";
import type { InboundPlan } from "./inbound-plan.ts";
import type { PreparedReplies } from "./prepared-replies.ts";

export interface ArrivedMessage {
  readonly transaction: Transaction;
  /** What the session told: who the client is, and whether we wrote the message ourselves. */
  readonly mail: ReceivedMail;
  /** What has to be undone when the answer is known, whatever it is. */
  readonly ends: AsyncDisposableStack;
}

export interface Screened {
  header: HeaderBlock;
  /** Aliases the message went through before, lower case. */
  deliveredTo: ReadonlySet<string>;
}

export interface ScreenedMessage extends ArrivedMessage {
  readonly screened: Screened;
}

export interface AnsweringMessage extends ScreenedMessage {
  /** Answers of owners, checked and on disk, but not in the queue yet. */
  readonly replies: PreparedReplies;
}

export interface PlannedMessage extends AnsweringMessage {
  readonly plan: InboundPlan;
}

export interface DeliveredMessage extends PlannedMessage {
  /** 250: everybody's mail is taken, or on disk. */
  readonly reply: SmtpReply;
}

/** @returns the transaction of a message whose final dot has come */
export function transactionOf(mail: ReceivedMail, { random, clock }: { random: Random; clock: Clock }): Transaction {
  const { mailFrom, secure, esmtp } = mail;
  const base = mailFrom.smtpUtf8 ? "UTF8SMTP" : "ESMTP";
  return {
    messageId: random.uuid(),
    envelope: {
      envelopeFrom: mailFrom.envelopeFrom,
      helo: mail.helo,
      clientAddress: mail.clientAddress,
      protocol: esmtp ? (secure ? `${base}S` : base) : "SMTP",
      receivedAt: clock.now(),
      // RFC 6152: who sends such bytes without saying so is more common than a peer that needs no telling.
      eightBit: mailFrom.eightBit || !isAscii(mail.wire),
      smtpUtf8: mailFrom.smtpUtf8,
    },
    recipients: mail.recipients,
    wire: mail.wire,
    isOurs: mail.isOurs ?? false,
  };
}
