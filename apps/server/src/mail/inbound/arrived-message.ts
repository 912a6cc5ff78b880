import { isAscii } from "node:buffer";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { ReceivedMail } from "../smtp/session-handlers.ts";
import type { Transaction } from "../transaction.ts";

export interface ArrivedMessage {
  readonly transaction: Transaction;
  readonly mail: ReceivedMail;
}

export interface ArrivalDeps {
  random: Random;
  clock: Clock;
}

export function arrive(mail: ReceivedMail, deps: ArrivalDeps): ArrivedMessage {
  return { transaction: transactionOf(mail, deps), mail };
}

function transactionOf(mail: ReceivedMail, { random, clock }: ArrivalDeps): Transaction {
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
      // Counts as 8-bit even without BODY=8BITMIME (RFC 6152): more clients omit it wrongly than hosts reject 8BITMIME.
      eightBit: mailFrom.eightBit || !isAscii(mail.wire),
      smtpUtf8: mailFrom.smtpUtf8,
    },
    recipients: mail.recipients,
    wire: mail.wire,
    isOurs: mail.isOurs ?? false,
  };
}
